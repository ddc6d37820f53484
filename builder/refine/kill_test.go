package refine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/store"
)

// killedIn names the folder that a refinement to be killed works in.
const killedIn = "REFINE_KILLED_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedIn); dir != "" {
		if err := refinePaying(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// price is how long a paid pair takes.
const price = 2 * time.Millisecond

// refinePaying refines under a slow distance that writes down every pair it is
// asked for.
func refinePaying(dir string) error {
	paid, err := os.OpenFile(filepath.Join(dir, "paid"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer paid.Close()
	g1, err := store.Open(filepath.Join(dir, "g1"), nil)
	if err != nil {
		return err
	}
	defer g1.Close()
	_, err = refine.Refine(context.Background(), filepath.Join(dir, "g2"), g1, refine.Options{K: 5, Visits: 16, Threads: 2,
		Distance: &refine.Distance{Name: "slow", Version: 1, Key: func(a, b store.Row) (float32, error) {
			time.Sleep(price)
			_, err := fmt.Fprintf(paid, "%d %d\n", a, b)
			return float32((a*7919 + b*7919) % 101), err
		}}})
	return err
}

// TestKilled: kill -9 loses what was in work and not yet kept, some hundredths of a
// second of each worker, and no pair else is paid for twice.
func TestKilled(t *testing.T) {
	t.Parallel()
	const n, kills = 90, 3
	data := make([]float32, 0, n*dim)
	for i := range n * dim {
		data = append(data, float32(i*i%97))
	}
	dir := t.TempDir()
	if _, err := builder.Build(context.Background(), filepath.Join(dir, "g1"), input(t, data), builder.Options{K: 5}); err != nil {
		t.Fatal(err)
	}
	command := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killedIn+"="+dir)
		return cmd
	}
	paid := func() []string {
		text, _ := os.ReadFile(filepath.Join(dir, "paid"))
		return strings.Fields(strings.ReplaceAll(string(bytes.TrimSpace(text)), " ", "-"))
	}
	for range kills {
		before, cmd := len(paid()), command()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); len(paid()) < before+100 && time.Since(began) < time.Minute; {
			time.Sleep(price)
		}
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Fatal("it ended before it was killed")
		}
	}
	if out, err := command().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	times, twice := map[string]int{}, 0
	for _, pair := range paid() {
		if times[pair]++; times[pair] == 2 {
			twice++
		}
	}
	t.Logf("%d pairs, %d paid for twice after %d kills", len(times), twice, kills)
	// A worker keeps pairs every 5 ms, and the disk has them 20 ms later.
	if most := kills * 2 * int(40*time.Millisecond/price); twice > most {
		t.Errorf("%d of %d pairs were paid for twice, want at most %d after %d kills", twice, len(times), most, kills)
	}
}

//go:build unix

package torture

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// of makes this test's cases those of some kinds, and of one build.
func of(t *testing.T, names ...string) {
	allKinds, allBuilds := kinds, builds
	t.Cleanup(func() { kinds, builds = allKinds, allBuilds })
	kinds, builds = nil, builds[:1]
	for _, k := range allKinds {
		if slices.Contains(names, k.name) {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) != len(names) {
		t.Fatalf("kinds %q: %d are there", names, len(kinds))
	}
}

// against is a configuration whose command is the toy with a fault.
func against(t *testing.T, fault string, cases int) *Config {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	t.Setenv(toyFault, fault)
	return &Config{Knng: self, Seed: 5, Cases: cases, Folder: t.TempDir(), Failures: t.TempDir(), Patience: 20 * time.Second}
}

// TestHonest: a command that keeps the promise is found to.
func TestHonest(t *testing.T) {
	of(t, "finished", "forged", "killed at a time", "killed and attacked", "two builders")
	var log bytes.Buffer
	c := against(t, honest, 40)
	c.Log = &log
	report, err := c.Run()
	must(t, err)
	if report.Wrong() != 0 || report.Next != 40 {
		t.Errorf("%d of %d cases are called wrong: %s", report.Wrong(), report.Next, &log)
	}
	for _, k := range kinds {
		if n := report.Kinds[k.name]; n == nil || n.Cases == 0 {
			t.Errorf("no case of %q", k.name)
		}
	}
	if left := filesBelow(t, c.Folder); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestFaultsAreFound: a command that breaks the promise in one way is found to, by the words
// for that way, and the file of the failure repeats it: until the command is mended.
func TestFaultsAreFound(t *testing.T) {
	for _, c := range []struct{ fault, kind, says string }{
		{believes, "finished", "another answer than the intact store's"},
		{sound, "finished", "calls a store sound"},
		{panics, "finished", "panicked"},
		{hangs, "finished", "did not end"},
		{silent, "finished", "failed without a word"},
		{follows, "finished", "files outside the store were touched"},
		{litters, "finished", "left in TMPDIR"},
		{panics, "forged", "panicked"},
		{trusts, "killed and attacked", "went on to its end, and its lists"},
		{forgets, "killed at a time", "going on: exit 1"},
		{shares, "two builders", "a builder beside another: exit 1"},
	} {
		t.Run(c.fault+", "+c.kind, func(t *testing.T) {
			of(t, c.kind)
			config := against(t, c.fault, 1)
			if c.fault == hangs {
				config.Patience = 300 * time.Millisecond
			}
			failure := foundBy(t, config, c.says)
			if c.kind == "two builders" { // by the time of the replay there is one
				return
			}
			again, err := config.Replay(failure)
			must(t, err)
			if !strings.Contains(strings.Join(again.Wrong, "\n"), c.says) {
				t.Errorf("the replay finds %q", again.Wrong)
			}
			t.Setenv(toyFault, honest)
			config.Patience = 20 * time.Second
			if again, err := config.Replay(failure); err != nil || len(again.Wrong) > 0 {
				t.Errorf("mended, and the replay finds %q, error %v", again.Wrong, err)
			}
		})
	}
}

// foundBy runs cases until one breaks the promise in a way, and returns the file of the failure.
func foundBy(t *testing.T, c *Config, says string) string {
	t.Helper()
	w, err := c.world()
	must(t, err)
	report := &Report{Kinds: map[string]*Counts{}}
	for range 60 {
		var log bytes.Buffer
		c.Log = &log
		must(t, c.one(w, report))
		if strings.Contains(log.String(), says) {
			return filepath.Join(c.Failures, fmt.Sprintf("torture-%d-%d.failure", c.Seed, report.Next-1))
		}
	}
	t.Fatalf("%d cases, and nothing says %q", report.Next, says)
	return ""
}

// TestCasesRepeat: the seed and the number give a case, whichever ran before it.
func TestCasesRepeat(t *testing.T) {
	of(t, "finished", "forged")
	told := func(first uint64, cases int) string {
		c := against(t, believes, cases)
		var log bytes.Buffer
		c.Log, c.First = &log, first
		report, err := c.Run()
		must(t, err)
		if report.Wrong() == 0 {
			t.Fatal("nothing is wrong")
		}
		return strings.ReplaceAll(log.String(), c.Failures, "")
	}
	all, end := told(0, 14), told(7, 7)
	if !strings.HasSuffix(all, end) {
		t.Errorf("the last seven cases of fourteen:\n%s\nalone:\n%s", all, end)
	}
}

// TestPack: a folder comes back as it was.
func TestPack(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	must(t, os.Mkdir(filepath.Join(from, "folder"), 0o777))
	file := filepath.Join(from, "folder", "file")
	must(t, os.WriteFile(file, []byte("text"), 0o666))
	must(t, os.Chtimes(file, time.Unix(7, 89), time.Unix(7, 89)))
	must(t, os.Symlink("/nowhere", filepath.Join(from, "link")))
	must(t, pipe(filepath.Join(from, "pipe")))
	packed, err := pack(from)
	must(t, err)
	must(t, unpack(packed, to))
	if want, got := filesBelow(t, from), filesBelow(t, to); !slices.Equal(got, want) || len(got) != 4 {
		t.Errorf("%q came back, want %q", got, want)
	}
	info, err := os.Stat(filepath.Join(to, "folder", "file"))
	if err != nil || !info.ModTime().Equal(time.Unix(7, 89)) || info.Size() != 4 {
		t.Errorf("the file came back as %v, error %v", info, err)
	}
	if target, err := os.Readlink(filepath.Join(to, "link")); target != "/nowhere" {
		t.Errorf("the link leads to %q, error %v", target, err)
	}
}

// TestForge: a store opens by the forged seal.
func TestForge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	rows, err := vectors.FromFunc(100, 4, func(i int, row []float32) error {
		for j := range row {
			row[j] = float32(i*i%97 + j)
		}
		return nil
	})
	must(t, err)
	_, err = builder.Build(context.Background(), dir, vectors.NewInput(rows), builder.Options{K: 5})
	must(t, err)
	must(t, os.Remove(filepath.Join(dir, "SEAL")))
	must(t, forge(dir))
	s, err := store.Open(dir, nil)
	must(t, err)
	if s.Len() != 100 {
		t.Errorf("%d rows", s.Len())
	}
	must(t, s.Close())
}

// TestKinds: all kinds and attacks are there, each with a share of the cases.
func TestKinds(t *testing.T) {
	drew := map[string]int{}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		drew[drawn(rng).name]++
	}
	for _, k := range kinds {
		if drew[k.name] < 50 {
			t.Errorf("%q was drawn %d times of 2,000", k.name, drew[k.name])
		}
	}
	for _, name := range []string{"bit", "cut", "gone", "of another store", "two change places", "link out", "link to a copy outside", "link to itself", "device", "pipe", "folder", "folder out"} {
		if !slices.ContainsFunc(attacks, func(a attack) bool { return a.name == name }) {
			t.Errorf("there is no attack %q", name)
		}
	}
}

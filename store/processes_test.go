package store

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// helper is another process that runs TestHelper.
func helper(do, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHelper$")
	cmd.Env = append(os.Environ(), "KNNG_TEST_DO="+do, "KNNG_TEST_DIR="+dir)
	return cmd
}

// readMuch looks all rows up again and again, from several goroutines that each
// open the store, and compares the lists.
func readMuch(t *testing.T, dir string) {
	var g sync.WaitGroup
	for range 3 {
		g.Go(func() {
			s, err := Open(dir, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			var first [][]Neighbor
			for round := range 20 {
				for row := range s.Len() {
					list, err := s.Neighbors(Row(row), nil)
					if round == 0 {
						first = append(first, list)
					}
					if err != nil || len(list) != s.K() || !slices.Equal(list, first[row]) {
						t.Errorf("round %d, row %d: %v, error %v", round, row, list, err)
						return
					}
				}
			}
		})
	}
	g.Wait()
}

// TestReadersBesideABuild: processes, each with several goroutines, read one store
// while others are built in this one and read here as well.
func TestReadersBesideABuild(t *testing.T) {
	dir := finished(t, 200, false)
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			if out, err := helper("read much", dir).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	ended := make(chan struct{})
	go func() { readers.Wait(); close(ended) }()
	built := 0
	for done := false; !done; built++ {
		other := finished(t, 100+built%100, built%2 == 0)
		readMuch(t, other)
		select {
		case <-ended:
			done = true
		default:
		}
	}
	sound(t, dir)
	t.Logf("%d stores built beside the readers", built)
}

// TestLockOfAKilledBuild: while a build lives its lock names it; when it is
// killed the lock is free, and what it had recorded is there.
func TestLockOfAKilledBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	cmd := helper("hold", dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "held" {
	}
	_, err = OpenDraft(dir, tiny(100), nil)
	if holder := fmt.Sprintf("process %d on ", cmd.Process.Pid); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), holder) {
		t.Errorf("error %v, want ErrLocked that names %s", err, holder)
	}
	must(t, cmd.Process.Kill())
	cmd.Wait() // it was killed
	d, err := OpenDraft(dir, tiny(100), nil)
	must(t, err)
	defer d.Close()
	var begun bool
	if ok, err := d.Load("begun", &begun); err != nil || !ok || !begun || !d.Resumed() {
		t.Errorf("resumed %v, record %v %v, error %v", d.Resumed(), ok, begun, err)
	}
}

package job

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// TestInTurn: batches come in order, whole, whatever the threads and whoever is late.
func TestInTurn(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, threads := range []int{1, 2, 3, 8} {
		for _, n := range []int{0, 1, batchRows, 7*batchRows + rng.IntN(20*batchRows)} {
			r := &Job{Threads: threads}
			next := uint32(0)
			err := r.InOrder(context.Background(), n, func(from, to int, l *store.Lists) {
				for p := uint32(from); p < uint32(to); p++ {
					l.Append(p, []uint32{p, p + 1}[:p%3%2+1], []float32{1, 2}[:p%3%2+1])
				}
			}, func(l *store.Lists) error {
				for i, p := range l.Rows {
					if list := l.Neighbors[l.Starts[i]:l.Starts[i+1]]; p != next || !slices.Equal(list, []uint32{p, p + 1}[:p%3%2+1]) {
						t.Fatalf("seed %d, %d threads: place %d with %v, want place %d", seed, threads, p, list, next)
					}
					next++
				}
				return nil
			})
			if err != nil || next != uint32(n) {
				t.Fatalf("seed %d, %d threads: %d of %d rows, %v", seed, threads, next, n, err)
			}
		}
	}
}

// TestInTurnStops: an error of what writes, or the end of the context, ends it all.
func TestInTurnStops(t *testing.T) {
	failed := errors.New("disk full")
	for _, threads := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		r := &Job{Threads: threads}
		fill := func(int, int, *store.Lists) {}
		used := 0
		err := r.InOrder(ctx, 100*batchRows, fill, func(*store.Lists) error {
			if used++; used == 10 {
				return failed
			}
			return nil
		})
		if err != failed || used != 10 {
			t.Errorf("%d threads: %v after %d batches, want %v after 10", threads, err, used, failed)
		}
		used = 0
		err = r.InOrder(ctx, 100*batchRows, fill, func(*store.Lists) error {
			if used++; used == 10 {
				cancel()
			}
			return nil
		})
		if err != context.Canceled || used == 100 {
			t.Errorf("%d threads: %v after %d batches, want that it was canceled", threads, err, used)
		}
	}
}

// TestInTurnFaults: a file that is cut short while lists are gathered from it is an error of the threads that gather.
func TestInTurnFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lists")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := vectors.MapFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := os.Truncate(path, 0); err != nil {
		if runtime.GOOS != "windows" { // which cuts no file that is mapped
			t.Fatal(err)
		}
		t.Skip(err)
	}
	r := &Job{Threads: 3}
	err = r.InOrder(context.Background(), 100*batchRows, func(from, _ int, l *store.Lists) {
		l.Append(uint32(file.Bytes()[from%(1<<16)]), nil, nil)
	}, func(*store.Lists) error { return nil })
	if !errors.Is(err, vectors.ErrFault) {
		t.Errorf("%v, want %v", err, vectors.ErrFault)
	}
}

package vectors

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestRanges(t *testing.T) { testRanges(t, Ranges) }

func TestApart(t *testing.T) { testRanges(t, Apart) }

func testRanges(t *testing.T, ranges func(threads, n, size int, worker func() func(from, to int) error) error) {
	for _, n := range []int{0, 1, 7, 1000} {
		seen := make([]atomic.Int32, n)
		var workers atomic.Int32
		err := ranges(3, n, 7, func() func(from, to int) error {
			workers.Add(1)
			return func(from, to int) error {
				for i := from; i < to; i++ {
					seen[i].Add(1)
				}
				return nil
			}
		})
		if err != nil || workers.Load() > 3 {
			t.Fatalf("%d: %v, %d workers", n, err, workers.Load())
		}
		for i := range seen {
			if seen[i].Load() != 1 {
				t.Fatalf("%d of %d was done %d times", i, n, seen[i].Load())
			}
		}
	}
	failure := errors.New("failure")
	err := ranges(2, 100, 1, func() func(from, to int) error {
		return func(from, _ int) error {
			if from == 40 {
				return failure
			}
			return nil
		}
	})
	if err != failure {
		t.Errorf("error %v", err)
	}
}

// TestApartHelps: a goroutine whose part is done does what is left of another's, and each
// begins in its own.
func TestApartHelps(t *testing.T) {
	var done atomic.Int32
	var firsts atomic.Int64
	all := make(chan struct{})
	var both sync.WaitGroup
	both.Add(2)
	err := Apart(2, 100, 1, func() func(from, to int) error {
		began := false
		return func(from, to int) error {
			if !began {
				began = true
				firsts.Add(int64(from))
				both.Done()
				both.Wait()
			}
			if done.Add(1) == 99 {
				close(all)
			}
			if from == 0 { // waits until the other has done all of the rest
				<-all
			}
			return nil
		}
	})
	if err != nil || done.Load() != 100 {
		t.Errorf("%v, %d of 100 done", err, done.Load())
	}
	if firsts.Load() != 50 {
		t.Errorf("the first ranges are %d together, want 0 and 50", firsts.Load())
	}
}

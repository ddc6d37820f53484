package vectors

import (
	"errors"
	"sync/atomic"
	"testing"
)

func TestRanges(t *testing.T) {
	for _, n := range []int{0, 1, 7, 1000} {
		seen := make([]atomic.Int32, n)
		var workers atomic.Int32
		err := Ranges(3, n, 7, func() func(from, to int) error {
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
	err := Ranges(2, 100, 1, func() func(from, to int) error {
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

package recall

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/vectors"
)

// Search computes the exact lists of sampled places by comparing them with all
// others. Places are positions in the matrix that is searched; where that is a
// locality order, RowOf gives their input rows, which decide ties.
type Search struct {
	K       int                     // length of the lists: the caller's min(k, n-1)
	RowOf   []uint32                // RowOf[place] = row; nil is the identity
	Skip    func(place uint32) bool // places that are nobody's neighbors (isolated rows); nil skips none
	Threads int                     // 0 is 1

	// Progress is called, by several goroutines, with the comparisons made since the last call. May be
	// nil.
	Progress func(comparisons int64)
}

// Keys evaluates the keys between place x and the places ids into out, and
// returns how many distances it computed (others may come from a cache).
type Keys func(x uint32, ids []uint32, out []float32) (evaluated int, err error)

// Each makes Keys of a distance of two places. It is called with the smaller
// place first and must return a finite number.
func Each(distance func(a, b uint32) (float32, error)) func() Keys {
	keys := func(x uint32, ids []uint32, out []float32) (int, error) {
		for i, id := range ids {
			key, err := distance(min(x, id), max(x, id))
			if err != nil {
				return i, err
			}
			out[i] = key
		}
		return len(ids), nil
	}
	return func() Keys { return keys }
}

// keysBatch is how many keys are asked for at once: with a millisecond a distance, a search stops a quarter
// of a second after its context is cancelled.
const keysBatch = 256

// Keys compares the places sampled of n through a user's keys. newKeys is called
// once a goroutine. It returns the lists and the number of distances that were
// computed.
func (s Search) Keys(ctx context.Context, n int, places []uint32, newKeys func() Keys) (*Lists, int64, error) {
	if err := s.check(n, places); err != nil {
		return nil, 0, err
	}
	lists := newLists(places, s.K, s.RowOf)
	var computed atomic.Int64
	err := s.parallel(ctx, len(places), func() func(ctx context.Context, i int) error {
		keys := newKeys()
		ids, out := make([]uint32, 0, keysBatch), make([]float32, keysBatch)
		return func(ctx context.Context, i int) error {
			for from := 0; from < n; from += keysBatch {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				ids = s.appendPlaces(ids[:0], from, min(from+keysBatch, n), places[i])
				evaluated, err := keys(places[i], ids, out[:len(ids)])
				computed.Add(int64(evaluated))
				if err == nil {
					err = comparable(places[i], ids, out)
				}
				if err != nil {
					return err
				}
				lists.offer(i, ids, out[:len(ids)])
				s.progress(len(ids))
			}
			return nil
		}
	})
	if err != nil {
		return nil, computed.Load(), err
	}
	return lists, computed.Load(), nil
}

// appendPlaces adds the places of a range that take part, less x.
func (s Search) appendPlaces(dst []uint32, from, to int, x uint32) []uint32 {
	for place := from; place < to; place++ {
		if p := uint32(place); p != x && (s.Skip == nil || !s.Skip(p)) {
			dst = append(dst, p)
		}
	}
	return dst
}

// comparable refuses keys that cannot be ordered (NaN) or are infinite.
func comparable(x uint32, ids []uint32, keys []float32) error {
	for i, id := range ids {
		if key := keys[i]; key-key != 0 {
			return fmt.Errorf("recall: distance of places %d and %d is %v, want a finite number", x, id, key)
		}
	}
	return nil
}

func (s Search) check(n int, places []uint32) error {
	if s.K < 0 || s.K > max(0, n-1) {
		return fmt.Errorf("recall: lists of %d neighbors among %d rows", s.K, n)
	}
	if s.RowOf != nil && len(s.RowOf) != n {
		return fmt.Errorf("recall: %d rows for %d places", len(s.RowOf), n)
	}
	for _, p := range places {
		if int64(p) >= int64(n) {
			return fmt.Errorf("recall: place %d of %d", p, n)
		}
	}
	return nil
}

func (s Search) progress(comparisons int) {
	if s.Progress != nil {
		s.Progress(int64(comparisons))
	}
}

// parallel does units 0 to n-1, handed out in order. newWorker is called once a
// goroutine. The first error stops the others.
func (s Search) parallel(under context.Context, n int, newWorker func() func(ctx context.Context, unit int) error) error {
	ctx, stop := context.WithCancelCause(under)
	defer stop(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(s.Threads, 1), n) {
		workers.Go(func() {
			work := newWorker()
			for unit := int(next.Add(1)) - 1; unit < n; unit = int(next.Add(1)) - 1 {
				err := context.Cause(ctx)
				if err == nil {
					err = vectors.Guard(func() error { return work(ctx, unit) })
				}
				if err != nil {
					stop(err)
					return
				}
			}
		})
	}
	workers.Wait()
	return stopped.Error(under, context.Cause(ctx))
}

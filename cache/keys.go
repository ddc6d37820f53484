package cache

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// Keys computes the keys between place x and those of ids into out, and tells how
// many distances were evaluated: where there is an error, those that came before.
type Keys = func(x uint32, ids []uint32, out []float32) (evaluated int, err error)

// batchTime is how long evaluated pairs may wait before they are added: an
// interruption loses no more. An addition takes some microseconds.
const batchTime = 5 * time.Millisecond

// Keys answers from the pairs and evaluates the rest, for one worker: order gives
// the rows of places, cost is the time of one evaluation. A pair that another worker
// is evaluating is waited for: none is paid for twice, but for those that a kill
// finds being evaluated, and those of the last 20 ms.
func (p *Pairs) Keys(order []uint32, cost time.Duration, evaluate Keys) Keys {
	w := &worker{pairs: p, working: p.working, order: order, evaluate: evaluate, batch: max(1, int(batchTime/max(cost, 1)))}
	return w.keys
}

// worker is one worker's way to keys.
type worker struct {
	pairs    *Pairs
	working  *inWork
	order    []uint32
	evaluate Keys
	batch    int // pairs evaluated between two additions

	missing misses // in neither cache nor work
	others  misses // in another worker's work
	found   []float32
}

// misses lists pairs of one row whose keys are still to come.
type misses struct {
	places []uint32
	at     []int    // where their keys belong
	rows   []uint64 // of the input
}

func (w *misses) reset() { w.places, w.at, w.rows = w.places[:0], w.at[:0], w.rows[:0] }

func (w *misses) add(place uint32, at int, row uint64) {
	w.places, w.at, w.rows = append(w.places, place), append(w.at, at), append(w.rows, row)
}

func (w *worker) keys(x uint32, ids []uint32, out []float32) (evaluated int, err error) {
	a := uint64(w.order[x])
	w.others.reset()
	for next := 0; next < len(ids) && err == nil; {
		var n int
		next, n, err = w.some(x, a, ids, out, next)
		evaluated += n
	}
	if len(w.others.places) == 0 || err != nil {
		return evaluated, err
	}
	n, err := w.await(x, a, out)
	return evaluated + n, err
}

// some answers the next ids, up to a batch of evaluations. A user's distance may
// panic or read a file that faults: claims are released all the same.
func (w *worker) some(x uint32, a uint64, ids []uint32, out []float32, next int) (_, evaluated int, err error) {
	w.missing.reset()
	defer func() { w.working.release(a, w.missing.rows) }()
	if next, err = w.claim(a, ids, out, next); err == nil {
		evaluated, err = w.compute(x, a, out)
	}
	return next, evaluated, err
}

// claim goes through ids from next on. It writes known keys to out, adds pairs that
// another worker is evaluating to others, and claims the rest, at most a batch, and adds
// them to missing. It returns the index at which it stopped.
func (w *worker) claim(a uint64, ids []uint32, out []float32, next int) (int, error) {
	for ; next < len(ids) && len(w.missing.places) < w.batch; next++ {
		b := uint64(w.order[ids[next]])
		key, known, free, err := w.findOrClaim(a, b)
		switch {
		case err != nil:
			return next, err
		case known:
			out[next] = key
		case free:
			w.missing.add(ids[next], next, b)
		default:
			w.others.add(ids[next], next, b)
		}
	}
	return next, nil
}

// findOrClaim looks a pair up and claims it where it is not known. After the
// claim it looks again: the pair may have been added in between.
func (w *worker) findOrClaim(a, b uint64) (key float32, known, free bool, err error) {
	if key, known, err = w.pairs.Find(a, b); known || err != nil {
		return key, known, false, err
	}
	if !w.working.claim(a, b) {
		return 0, false, false, nil
	}
	if key, known, err = w.pairs.Find(a, b); known || err != nil {
		w.working.release(a, []uint64{b})
		return key, known, false, err
	}
	return 0, false, true, nil
}

// compute evaluates the missing pairs and adds them; after an error, those that were
// evaluated before it.
func (w *worker) compute(x uint32, a uint64, out []float32) (evaluated int, err error) {
	if len(w.missing.places) == 0 {
		return 0, nil
	}
	w.found = append(w.found[:0], make([]float32, len(w.missing.places))...)
	evaluated, err = w.evaluate(x, w.missing.places, w.found)
	for i, key := range w.found[:evaluated] {
		out[w.missing.at[i]] = key
	}
	return evaluated, errors.Join(err, w.pairs.Add(a, w.missing.rows[:evaluated], w.found[:evaluated]))
}

// await waits until the others are in nobody's work and asks for their keys
// again. It is rare enough to allocate.
func (w *worker) await(x uint32, a uint64, out []float32) (evaluated int, err error) {
	for _, b := range w.others.rows {
		w.working.wait(a, b)
	}
	ids, at := slices.Clone(w.others.places), slices.Clone(w.others.at)
	found := make([]float32, len(ids))
	evaluated, err = w.keys(x, ids, found)
	for i, key := range found {
		out[at[i]] = key
	}
	return evaluated, err
}

// inWork is the set of pairs that some worker is evaluating. Nobody waits while
// holding a claim, so there is no circle of waiting.
type inWork struct {
	mu      sync.Mutex
	changed *sync.Cond
	pairs   map[[2]uint64]struct{}
}

func newInWork() *inWork {
	s := &inWork{pairs: map[[2]uint64]struct{}{}}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// claim adds a pair and reports whether it was free.
func (s *inWork) claim(a, b uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	pair := [2]uint64{min(a, b), max(a, b)}
	_, taken := s.pairs[pair]
	s.pairs[pair] = struct{}{}
	return !taken
}

// release removes the pairs of a and each of bs.
func (s *inWork) release(a uint64, bs []uint64) {
	s.mu.Lock()
	for _, b := range bs {
		delete(s.pairs, [2]uint64{min(a, b), max(a, b)})
	}
	s.mu.Unlock()
	s.changed.Broadcast()
}

// wait returns once a pair is in nobody's work.
func (s *inWork) wait(a, b uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if _, taken := s.pairs[[2]uint64{min(a, b), max(a, b)}]; !taken {
			return
		}
		s.changed.Wait()
	}
}

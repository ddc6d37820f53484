package recall

import (
	"context"
	"math"
	"slices"

	"github.com/knng/knng/builder/screen"
)

// screenBytes is how much of the columns' rows, as float32, is compared with all
// sampled rows before the next: packed, they stay in a second-level cache.
const screenBytes = 512 << 10

// Screened compares the sampled places with all n places by screens, and computes the keys of the pairs that
// may be near, unless the screen has them. newScreen and newKeys are called once for each goroutine; rows of
// the screens have dim elements. It returns the lists, which are exact, and the number of pairs compared.
func (s Search) Screened(ctx context.Context, n, dim int, places []uint32, newScreen func() screen.Screen, newKeys func() Keys) (*Lists, int64, error) {
	if err := s.check(n, places); err != nil {
		return nil, 0, err
	}
	lists := newLists(places, s.K, s.RowOf)
	columns := min(480, max(48, screenBytes/(4*dim)/48*48))
	err := s.parallel(ctx, (n+columns-1)/columns, func() func(context.Context, int) error {
		w := &screenWorker{Search: s, lists: lists, screen: newScreen(), evaluate: newKeys()}
		return func(_ context.Context, unit int) error {
			return w.compare(unit*columns, min((unit+1)*columns, n))
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return lists, int64(len(places)) * int64(n-1), nil
}

// screenWorker is one goroutine's tools.
type screenWorker struct {
	Search
	lists    *Lists
	screen   screen.Screen
	evaluate Keys
	columns  []uint32
	ids      []uint32
	keys     []float32
}

// compare compares a range of places with all sampled ones.
func (w *screenWorker) compare(from, to int) error {
	w.columns = w.appendPlaces(w.columns[:0], from, to, math.MaxUint32)
	if len(w.columns) == 0 {
		return nil
	}
	places := w.lists.Places
	w.screen.Columns(w.columns, nil, places)
	for first := 0; first < len(places); first += screen.BandRows {
		band := places[first:min(first+screen.BandRows, len(places))]
		w.screen.Rows(band)
		for r := range band {
			if err := w.offer(first+r, r); err != nil {
				return err
			}
		}
		w.progress(len(band) * len(w.columns))
	}
	return nil
}

// offer offers the columns near row r of the band to list i.
func (w *screenWorker) offer(i, r int) error {
	worst := w.lists.shared(i)
	if prime, ok := w.screen.(screen.Primer); ok && math.IsInf(float64(worst), 1) {
		if err := w.evaluateColumns(i, prime.Prime(r), nil); err != nil {
			return err
		}
		worst = w.within(i)
	}
	near, keys := w.screen.Near(r, worst)
	if len(near) == 0 {
		return nil
	}
	if err := w.evaluateColumns(i, near, keys); err != nil {
		return err
	}
	w.lists.offer(i, w.ids, w.keys)
	return nil
}

// evaluateColumns sets ids and keys to the rows of the columns numbered near and their keys to
// the row of list i; keys may be known.
func (w *screenWorker) evaluateColumns(i int, near []uint32, keys []float32) error {
	w.ids = w.ids[:0]
	for _, j := range near {
		w.ids = append(w.ids, w.columns[j])
	}
	if keys != nil {
		w.keys = append(w.keys[:0], keys...)
		return nil
	}
	w.keys = slices.Grow(w.keys[:0], len(near))[:len(near)]
	_, err := w.evaluate(w.lists.Places[i], w.ids, w.keys)
	return err
}

// within returns a key within which as many of ids lie as list i has room for.
func (w *screenWorker) within(i int) float32 {
	if self := slices.Index(w.ids, w.lists.Places[i]); self >= 0 {
		w.keys = slices.Delete(w.keys, self, self+1)
	}
	if len(w.keys) < w.K || w.K == 0 {
		return float32(math.Inf(1))
	}
	slices.Sort(w.keys)
	return w.keys[w.K-1]
}

// shared returns the key above which nothing enters list i. Other goroutines may offer to the list meanwhile.
func (l *Lists) shared(i int) float32 {
	if l.K == 0 {
		return 0
	}
	l.locks[i].Lock()
	defer l.locks[i].Unlock()
	return l.lists.Worst(uint32(i))
}

package recall

import (
	"context"
	"math"

	"github.com/knng/knng/vectors/codes"
)

// codeColumns is how many rows of the matrix are compared with all sampled ones
// before the next: packed, they stay in a second-level cache.
const codeColumns = 480

// Codes compares the rows sampled with all rows of m by their codes, and those
// that may be near, as far as codes tell, by their keys: keys are what newKeys
// evaluates, or, where codes are exact, the code distances. It returns the lists,
// which are exact, and the number of pairs compared.
func (s Search) Codes(ctx context.Context, m *codes.Matrix, places []uint32, newKeys func() Keys) (*Lists, int64, error) {
	if err := s.check(m.Len(), places); err != nil {
		return nil, 0, err
	}
	lists := newLists(places, s.K, s.RowOf)
	units := (m.Len() + codeColumns - 1) / codeColumns
	err := s.parallel(ctx, units, func() func(context.Context, int) error {
		w := &codesWorker{Search: s, lists: lists, m: m, tile: m.NewTile(), evaluate: newKeys(), keys: make([]float32, codeColumns)}
		return func(_ context.Context, unit int) error {
			return w.compare(unit*codeColumns, min((unit+1)*codeColumns, m.Len()))
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return lists, int64(len(places)) * int64(m.Len()-1), nil
}

// codesWorker is one goroutine's tools.
type codesWorker struct {
	Search
	lists    *Lists
	m        *codes.Matrix
	tile     *codes.Tile
	evaluate Keys
	columns  []uint32
	bounds   [codes.BandRows]uint32
	keys     []float32
}

// compare compares a range of the matrix with all sampled rows.
func (w *codesWorker) compare(from, to int) error {
	w.columns = w.appendPlaces(w.columns[:0], from, to, math.MaxUint32)
	if len(w.columns) == 0 {
		return nil
	}
	w.tile.Columns(w.columns, nil)
	var most float32
	for _, p := range w.columns {
		most = max(most, w.m.Error(p))
	}
	places := w.lists.Places
	for first := 0; first < len(places); first += codes.BandRows {
		band := places[first:min(first+codes.BandRows, len(places))]
		w.tile.Rows(band, len(w.columns))
		for i, place := range band {
			w.bounds[i] = w.m.Reach(place, w.lists.shared(first+i), most)
		}
		w.tile.Select(w.bounds[:len(band)])
		for i := range band {
			if err := w.offer(first+i, i); err != nil {
				return err
			}
		}
		w.progress(len(band) * len(w.columns))
	}
	return nil
}

// offer shows what is near row r of the band to list i.
func (w *codesWorker) offer(i, r int) error {
	distances, ids := w.tile.Near(r)
	if len(ids) == 0 {
		return nil
	}
	keys := w.keys[:len(ids)]
	if w.m.Exact() {
		for j, d := range distances {
			keys[j] = float32(d)
		}
	} else if _, err := w.evaluate(w.lists.Places[i], ids, keys); err != nil {
		return err
	}
	w.lists.offer(i, ids, keys)
	return nil
}

// shared is the key above which nothing enters list i, which others may be
// offering to.
func (l *Lists) shared(i int) float32 {
	if l.K == 0 {
		return 0
	}
	l.locks[i].Lock()
	defer l.locks[i].Unlock()
	return l.worst(i)
}

package recall

import (
	"context"
	"math"

	"github.com/knng/knng/vectors/codes"
)

// codeColumns is how many rows of the matrix are compared with all sampled ones
// before the next: packed, they stay in a second-level cache.
const codeColumns = 480

// Codes compares the rows sampled with all rows of m, whose code distances must
// be the keys: those of bytes under euclidean metrics. It returns the lists and
// the number of distances computed.
func (s Search) Codes(ctx context.Context, m *codes.Matrix, places []uint32) (*Lists, int64, error) {
	if err := s.check(m.Len(), places); err != nil {
		return nil, 0, err
	}
	lists := newLists(places, s.K, s.RowOf)
	units := (m.Len() + codeColumns - 1) / codeColumns
	err := s.parallel(ctx, units, func() func(context.Context, int) error {
		w := &codesWorker{Search: s, lists: lists, tile: m.NewTile()}
		return func(_ context.Context, unit int) error {
			w.compare(unit*codeColumns, min((unit+1)*codeColumns, m.Len()))
			return nil
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
	lists   *Lists
	tile    *codes.Tile
	columns []uint32
	bounds  [codes.BandRows]uint32
	keys    []float32
}

// compare compares a range of the matrix with all sampled rows.
func (w *codesWorker) compare(from, to int) {
	w.columns = w.appendPlaces(w.columns[:0], from, to, math.MaxUint32)
	if len(w.columns) == 0 {
		return
	}
	w.tile.Columns(w.columns, nil)
	places := w.lists.Places
	for first := 0; first < len(places); first += codes.BandRows {
		band := places[first:min(first+codes.BandRows, len(places))]
		w.tile.Rows(band, len(w.columns))
		for i := range band {
			w.bounds[i] = w.lists.bound(first + i)
		}
		w.tile.Select(w.bounds[:len(band)])
		for i := range band {
			w.offer(first+i, i)
		}
		w.progress(len(band) * len(w.columns))
	}
}

// offer shows what is near row r of the band to list i.
func (w *codesWorker) offer(i, r int) {
	distances, ids := w.tile.Near(r)
	if len(ids) == 0 {
		return
	}
	w.keys = w.keys[:0]
	for _, d := range distances {
		w.keys = append(w.keys, float32(d))
	}
	w.lists.offer(i, ids, w.keys)
}

// bound is the largest code distance whose key may enter list i.
func (l *Lists) bound(i int) uint32 {
	l.locks[i].Lock()
	worst := l.worst(i)
	l.locks[i].Unlock()
	if l.K == 0 {
		return 0
	}
	return codes.Reach(worst)
}

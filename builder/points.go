package builder

import (
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// points are rows and all that compares them: a space or a distance of the user's
// own, norms, codes, screens. They know of no build: those of a whole input, of a
// sample and of a group of leaves are alike.
type points struct {
	space   *distance.Space
	own     func() leaf.Keys // makes keys for one goroutine under the user's own distance; nil: the space has the distance
	threads int

	rows  *vectors.Rows
	norms []float64 // by place, under cosine
	order []uint32  // order[place] = row
	k     int       // length of the lists: min(K, n-1)

	keyed bool // lists of candidates have keys, not distances of codes
	screening
	ascending []uint32 // 0, 1, ...: see numbers
	vanish    vanish
}

// n is the number of points.
func (ps *points) n() int { return len(ps.order) }

// norm is the norm of a place, 0 where the metric needs none.
func (ps *points) norm(place uint32) float64 {
	if ps.norms == nil {
		return 0
	}
	return ps.norms[place]
}

// normsOf computes the norms of all rows under cosine, in parallel.
func (ps *points) normsOf(rows *vectors.Rows) ([]float64, error) {
	if !ps.space.NeedsNorms() {
		return nil, nil
	}
	norms := make([]float64, rows.Len())
	err := vectors.Ranges(ps.threads, rows.Len(), 4096, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				norms[i] = ps.space.Norm(rows.Row(i))
			}
			return nil
		}
	})
	return norms, err
}

// over has ps be n rows that stand one after the other in bytes, whose places are
// their numbers: as these ascend with the rows, ties fall alike.
func (ps *points) over(bytes []byte, n int) (err error) {
	size := ps.space.RowBytes()
	if ps.rows, err = vectors.RowsOf(bytes, n, ps.space.Dim(), size, ps.space.Type()); err != nil {
		return err
	}
	ps.norms, err = ps.normsOf(ps.rows)
	return err
}

// numbers is 0, 1, ... n-1.
func (ps *points) numbers(n int) []uint32 {
	for len(ps.ascending) < n {
		ps.ascending = append(ps.ascending, uint32(len(ps.ascending)))
	}
	return ps.ascending[:n]
}

// solver returns one worker's leaf solver.
func (ps *points) solver() *leaf.Solver {
	s := &leaf.Solver{Keys: ps.keys()}
	if ps.own == nil {
		base, stride := ps.rows.Base(), ps.rows.Stride()
		s.Block = func(xs, ys []uint32, out []float32) {
			ps.space.Block(base, stride, ps.norms, xs, ys, out)
		}
	}
	return s
}

// keys returns one worker's way to keys.
func (ps *points) keys() leaf.Keys {
	if ps.own != nil {
		return ps.own()
	}
	return ps.kernelKeys()
}

func (ps *points) kernelKeys() leaf.Keys {
	base, stride := ps.rows.Base(), ps.rows.Stride()
	return func(x uint32, ids []uint32, out []float32) (int, error) {
		ps.space.Keys(ps.rows.Row(int(x)), ps.norm(x), base, stride, ps.norms, ids, out)
		return len(ids), nil
	}
}

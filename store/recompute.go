package store

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// recomputed returns a function that computes the key of two rows again from the store's
// vectors, until done is called.
func (s *Store) recomputed() (key func(a, b uint32) (float32, error), done func() error, err error) {
	metric, err := distance.ParseMetric(s.info.Manifest.Metric)
	if err != nil {
		return nil, nil, err
	}
	if s.info.Manifest.Sparse() {
		return s.recomputedSparse(metric)
	}
	in, order, err := s.Vectors()
	if err != nil {
		return nil, nil, err
	}
	k, err := newRecomputer(in, order, metric, s.Len())
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return k.key, in.Close, nil
}

// recomputer computes the key of two rows from a store's vectors.
type recomputer struct {
	in     *vectors.Input
	space  *distance.Space
	places []uint32
	x, y   []byte
}

func newRecomputer(in *vectors.Input, order []uint32, m distance.Metric, rows int) (*recomputer, error) {
	space, err := distance.New(m, in.Type(), in.Dim())
	if err != nil {
		return nil, err
	}
	size := in.Dim() * in.Type().Size()
	k := &recomputer{in: in, space: space, places: slices.Repeat([]uint32{math.MaxUint32}, rows), x: make([]byte, size), y: make([]byte, size)}
	for place, row := range order {
		if int(row) < rows {
			k.places[row] = uint32(place)
		}
	}
	return k, nil
}

func (k *recomputer) key(a, b uint32) (float32, error) {
	for i, row := range []uint32{a, b} {
		place := k.places[row]
		if place == math.MaxUint32 {
			return 0, fmt.Errorf("%w: row %d has no place", ErrCorrupt, row)
		}
		if err := k.in.ReadRows(int(place), [][]byte{k.x, k.y}[i]); err != nil {
			return 0, err
		}
	}
	var nx, ny float64
	if k.space.NeedsNorms() {
		nx, ny = k.space.Norm(k.x), k.space.Norm(k.y)
	}
	return k.space.Key(k.x, k.y, nx, ny), nil
}

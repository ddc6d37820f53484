package product

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/vectors"
)

const (
	rounds      = 8
	groupRounds = 6
)

// Train makes a quantizer of so many parts from sampled rows of dim elements, which are next to each other.
// Its error is that of ctx.
func Train(ctx context.Context, sample []float32, dim, parts int, seed uint64, threads int) (*Quantizer, error) {
	q := newQuantizer(dim, parts)
	err := vectors.Ranges(threads, parts, 1, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				p := &q.parts[i]
				rng := rand.New(rand.NewPCG(seed, uint64(i)))
				means(p.of(sample, dim), p.width, p.centers, rounds, rng)
				p.group()
			}
			return ctx.Err()
		}
	})
	return q, err
}

// TrainLevels adds a byte to codes that names one of 256 levels, fitted to some values.
func (q *Quantizer) TrainLevels(values []float32, seed uint64) {
	q.levels = make([]float32, Centers)
	means(values, 1, q.levels, rounds, rand.New(rand.NewPCG(seed, math.MaxUint64)))
	slices.Sort(q.levels)
}

// of copies the elements of the part out of rows.
func (p *part) of(rows []float32, dim int) []float32 {
	some := make([]float32, 0, len(rows)/dim*p.width)
	for ; len(rows) > 0; rows = rows[dim:] {
		some = append(some, rows[p.from:p.from+p.width]...)
	}
	return some
}

// group forms groups of centers that are near each other.
func (p *part) group() {
	p.middles = make([]float32, groups*p.width)
	of := means(p.centers, p.width, p.middles, groupRounds, rand.New(rand.NewPCG(1, 2)))
	for c, g := range of {
		p.members[g] = append(p.members[g], uint8(c))
	}
}

// means computes centers by k-means over points, and returns the center of every point. A center without
// points stays where it was.
func means(points []float32, width int, centers []float32, rounds int, rng *rand.Rand) []uint16 {
	n, k := len(points)/width, len(centers)/width
	of := make([]uint16, n)
	if n == 0 {
		return of
	}
	for c, i := range rng.Perm(max(n, k))[:k] {
		copy(centers[c*width:(c+1)*width], points[i%n*width:])
	}
	for round := range rounds + 1 {
		for i := range of {
			of[i] = nearest(points[i*width:(i+1)*width], centers)
		}
		if round < rounds {
			middle(points, width, of, centers)
		}
	}
	return of
}

func nearest(x, centers []float32) (best uint16) {
	least := float32(math.MaxFloat32)
	for c := 0; len(centers) > 0; c, centers = c+1, centers[len(x):] {
		if d := squared(x, centers[:len(x)]); d < least {
			best, least = uint16(c), d
		}
	}
	return best
}

// middle moves every center to the mean of its points.
func middle(points []float32, width int, of []uint16, centers []float32) {
	sums, counts := make([]float64, len(centers)), make([]int, len(centers)/width)
	for i, c := range of {
		counts[c]++
		for j, x := range points[i*width : (i+1)*width] {
			sums[int(c)*width+j] += float64(x)
		}
	}
	for i, sum := range sums {
		if n := counts[i/width]; n > 0 {
			centers[i] = float32(sum / float64(n))
		}
	}
}

package codes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/internal/simd"
)

// A Basis is orthonormal directions along which rows vary: the first ones of them are
// about as good as others would be.
type Basis struct {
	kernel     *simd.Kernel
	dim, count int
	directions []float32 // count rows of dim
	sample     *Matrix   // of the rows
}

// basisRows is the number of sampled rows for each direction. Wrong if smaller: a few rows would make a
// direction of their own. Wrong if larger: the basis would cost as much as the codes along the axes.
const basisRows = 8

// basisSteps is how often random directions are multiplied by the covariance. With 192 directions on
// GIST and MNIST, exact principal directions lose 3/4 of the neighbors that these lose; one
// multiplication loses twice as many on GIST and 1.5 times as many on MNIST.
const basisSteps = 2

// Basis finds count directions, a multiple of AxesStep, along which the rows vary most:
// random ones multiplied by the covariance of some rows, orthonormalized, and so once more
// (Halko, Martinsson, Tropp, "Finding structure with randomness", SIAM Review 2011,
// algorithm 4.4). Factors are rounded to bytes, and products are exact: the error that
// rounding adds to a direction is a combination of rows as well.
func (m *Matrix) Basis(count, threads int) (*Basis, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	b := &Basis{kernel: kernel, dim: 4 * m.groups, count: count, sample: m.Some(spread(m.n, basisRows*count))}
	b.directions = make([]float32, count*b.dim)
	rng := rand.New(rand.NewPCG(uint64(count), uint64(b.dim)))
	for i := range b.directions {
		b.directions[i] = float32(rng.IntN(255) - 127)
	}
	across, err := b.sample.transposed(kernel, threads)
	if err != nil {
		return nil, err
	}
	for range basisSteps {
		if err := b.step(across, threads); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// step multiplies the directions by the covariance of the sample, which across is transposed,
// and orthonormalizes them.
func (b *Basis) step(across *Matrix, threads int) error {
	more := across.beyond()
	along, err := b.responses(threads)
	if err != nil {
		return err
	}
	err = products(along, across, threads, func(j int, sums []int32) {
		for i, x := range sums {
			b.directions[j*b.dim+i] = float32(x - more[i])
		}
	})
	if err != nil {
		return err
	}
	return b.orthonormalize(threads)
}

// LeadAxes is how many axes are of one kind: as many as a cache line has bytes.
const LeadAxes = 64

// Axes are the first count directions, a multiple of AxesStep, rotated at random by blocks of
// LeadAxes, so that rows vary along all of a block alike. One step serves all blocks: along
// the later ones rows vary less, and fewer codes tell it, in proportion.
func (b *Basis) Axes(count, threads int) (*Axes, error) {
	directions := slices.Clone(b.directions[:count*b.dim])
	lead := min(LeadAxes, count)
	for first := 0; first < count; first += lead {
		block := min(lead, count-first)
		if err := rotate(directions[first*b.dim:(first+block)*b.dim], block, b.dim, threads); err != nil {
			return nil, err
		}
	}
	rounded, err := b.rounded(directions, threads)
	if err != nil {
		return nil, err
	}
	a := &Axes{Dim: b.dim, Count: count, Codes: rounded.data, Lead: lead}
	few := b.sample.Some(spread(b.sample.n, max(scaleRows, fitElements/count/2)))
	return a, a.scale(few, rounded, threads)
}

// scaleRows is the least number of rows that the steps of axes are fitted on.
const scaleRows = 256

// spread are count of n places, evenly spread, or all.
func spread(n, count int) []uint32 {
	places := make([]uint32, min(n, count))
	for i := range places {
		places[i] = uint32((2*i + 1) * n / (2 * len(places)))
	}
	return places
}

// transposed returns a matrix whose row j is element j of all rows of m.
func (m *Matrix) transposed(kernel *simd.Kernel, threads int) (*Matrix, error) {
	const block = 64 // of either, which a first-level cache holds
	o := newMatrix(kernel, 4*m.groups, m.n)
	err := vectors.Ranges(threads, o.n, block, func() func(first, last int) error {
		return func(first, last int) error {
			for i := 0; i < m.n; i += block {
				for y := first; y < last; y++ {
					to := o.row(y)
					for x := i; x < min(i+block, m.n); x++ {
						to[x] = m.data[x*m.stride+y]
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return o, o.addUp(kernel, threads)
}

// beyond returns the excess of sums of products with the rows of m, where codes stand for
// numbers that are less by 128.
func (m *Matrix) beyond() []int32 {
	more := make([]int32, m.n)
	for i, s := range m.sums {
		sum := int32((s.norm - s.add) / 256) // of the codes
		more[i] = 128 * (sum - 128*4*int32(m.groups))
	}
	return more
}

// responses returns a matrix with a row for each direction: the components of the sample's
// rows along it, less their mean, in steps that suit the largest.
func (b *Basis) responses(threads int) (*Matrix, error) {
	rounded, err := b.rounded(b.directions, threads)
	if err != nil {
		return nil, err
	}
	o, more := newMatrix(b.kernel, b.count, b.sample.n), b.sample.beyond()
	return o, products(rounded, b.sample, threads, func(j int, sums []int32) {
		for i := range sums {
			sums[i] -= more[i]
		}
		center(sums, o.row(j))
	})
}

// center writes numbers less their mean as codes.
func center(values []int32, dst []byte) {
	var sum int64
	for _, x := range values {
		sum += int64(x)
	}
	mean, most := int32(sum/int64(len(values))), int32(1)
	for _, x := range values {
		most = max(most, x-mean, mean-x)
	}
	factor := (127 << 32) / int64(most)
	for i, x := range values {
		dst[i] = byte((int64(x-mean)*factor+1<<31)>>32 + 128)
	}
}

// rounded returns directions as codes.
func (b *Basis) rounded(directions []float32, threads int) (*Matrix, error) {
	o := newMatrix(b.kernel, len(directions)/b.dim, b.dim)
	var most float32
	for _, x := range directions {
		most = max(most, x, -x)
	}
	perUnit := 127 / float64(max(most, math.SmallestNonzeroFloat32))
	return o, vectors.Ranges(threads, o.n, 16, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from * b.dim; i < to*b.dim; i++ {
				o.data[i] = byte(math.Floor(float64(float64(directions[i])*perUnit) + 128.5))
			}
			return nil
		}
	})
}

// orthonormalBlock is how many directions are taken from all later ones at a time.
const orthonormalBlock = 32

// orthonormalize makes every direction orthogonal to those before it, and of length 1
// (modified Gram and Schmidt, by blocks). Of a dependent direction nearly nothing is left,
// mostly rounding errors; if it is nothing it becomes 0.
func (b *Basis) orthonormalize(threads int) error {
	o := orthonormalizer{Basis: b, kept: make([]float64, b.count), numbers: numbers(b.count)}
	for j := range b.count {
		o.kept[j] = o.dots(j, j, j+1, make([]float64, 1))[0]
	}
	for first := 0; first < b.count; first += orthonormalBlock {
		last := min(first+orthonormalBlock, b.count)
		room := make([]float64, orthonormalBlock)
		for j := first; j < last; j++ {
			o.subtract(j, first, j, room)
			o.normalize(j, room)
		}
		err := vectors.Ranges(threads, b.count-last, 8, func() func(from, to int) error {
			room := make([]float64, orthonormalBlock)
			return func(from, to int) error {
				for j := last + from; j < last+to; j++ {
					o.subtract(j, first, last, room)
				}
				return nil
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type orthonormalizer struct {
	*Basis
	kept    []float64 // squared lengths before
	numbers []uint32
}

func (b *Basis) direction(j int) []float32 { return b.directions[j*b.dim : (j+1)*b.dim] }

// dots are the inner products of direction j with some others.
func (o *orthonormalizer) dots(j, from, to int, room []float64) []float64 {
	x := asBytes(o.direction(j))
	o.kernel.DotF32(x, asBytes(o.directions), 4*o.dim, o.dim, o.numbers[from:to], room[:to-from])
	return room[:to-from]
}

// subtract makes direction j orthogonal to some others.
func (o *orthonormalizer) subtract(j, from, to int, room []float64) {
	if from == to {
		return
	}
	by := make([]float32, 0, orthonormalBlock)
	for _, dot := range o.dots(j, from, to, room) {
		by = append(by, float32(dot))
	}
	o.kernel.Subtract(o.direction(j), o.directions[from*o.dim:to*o.dim], by)
}

// dependent is the squared ratio of lengths below which an orthogonalized direction counts as dependent
// on those before it.
const dependent = 1e-9

func (o *orthonormalizer) normalize(j int, room []float64) {
	y, squared := o.direction(j), o.dots(j, j, j+1, room)[0]
	var factor float32
	if squared > dependent*o.kept[j] {
		factor = float32(1 / math.Sqrt(squared))
	}
	for c := range y {
		y[c] *= factor
	}
}

func asBytes(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// rotations is how often directions are mixed by blocks: twice, every one is made of all of
// up to 32 blocks.
const rotations = 3

// rotatedElements is how many elements of all directions a goroutine rotates at a time.
const rotatedElements = 64

// rotate applies a random rotation to count directions, which is a multiple of AxesStep:
// signs at random, a Hadamard transform of every block, and the blocks dealt anew. The new
// value of an element depends on the same element of the others only.
func rotate(directions []float32, count, dim, threads int) error {
	rng := rand.New(rand.NewPCG(uint64(count), uint64(dim)))
	factors := make([]float32, rotations*count)
	for i := range factors {
		factors[i] = float32(1 / math.Sqrt(AxesStep))
		if rng.Uint32()&1 != 0 {
			factors[i] = -factors[i]
		}
	}
	return vectors.Ranges(threads, dim, rotatedElements, func() func(from, to int) error {
		own, dealt := make([]float32, count*rotatedElements), make([]float32, count*rotatedElements)
		return func(from, to int) error {
			wide := to - from
			for j := range count {
				copy(own[j*wide:(j+1)*wide], directions[j*dim+from:j*dim+to])
			}
			for round := range rotations {
				mix(own, dealt, factors[round*count:(round+1)*count], wide)
				own, dealt = dealt, own
			}
			for j := range count {
				copy(directions[j*dim+from:j*dim+to], own[j*wide:(j+1)*wide])
			}
			return nil
		}
	})
}

// mix rotates rows of dim elements once, and deals them to another place.
func mix(rows, dealt, factors []float32, dim int) {
	count := len(factors)
	for j, factor := range factors {
		for c := j * dim; c < (j+1)*dim; c++ {
			rows[c] *= factor
		}
	}
	for first := 0; first < count; first += AxesStep {
		hadamard(rows[first*dim:(first+AxesStep)*dim], dim)
	}
	for j, blocks := 0, count/AxesStep; j < count; j++ {
		to := j%AxesStep*blocks + j/AxesStep
		copy(dealt[to*dim:(to+1)*dim], rows[j*dim:(j+1)*dim])
	}
}

// hadamard transforms AxesStep directions, and makes them longer by its root.
func hadamard(block []float32, dim int) {
	for half := dim; half < AxesStep*dim; half *= 2 {
		for first := 0; first < AxesStep*dim; first += 2 * half {
			x, y := block[first:first+half], block[first+half:first+2*half]
			for c, a := range x {
				x[c], y[c] = a+y[c], a-y[c]
			}
		}
	}
}

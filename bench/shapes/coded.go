package shapes

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Shapes of hashes and of programs, rows of few dimensions with few values, and rows of every type,
// each under every metric that takes it.

// numeric are the metrics of rows that are no packed bits.
var numeric = append(append([]distance.Metric{}, every...), others...)

// coded lists these shapes.
func coded() []Shape {
	return []Shape{
		{"hashes-64", 50_000, 8, vectors.Uint8, sets, packed(hashes)},
		{"hashes-128", 40_000, 16, vectors.Uint8, sets, packed(hashes)},
		{"hashes-256", 40_000, 32, vectors.Uint8, sets, packed(hashes)},
		{"random-hashes", 40_000, 8, vectors.Uint8, sets, bytes},
		{"few-bits", 40_000, 128, vectors.Uint8, sets, packed(fewBits)},
		{"molecules", 40_000, 128, vectors.Uint8, sets, packed(molecules)},
		{"sets-of-sizes", 40_000, 256, vectors.Uint8, sets, packed(setsOfSizes)},
		{"largest-elements", 30_000, 48, vectors.Uint8, sets, packed(largest)},
		{"functions", 40_000, 256, vectors.Float32, []distance.Metric{distance.Correlation, distance.Cosine, distance.Euclidean}, functions},
		{"nine-of-few", 40_000, 9, vectors.Uint8, numeric, fewValues},
		{"twelve-of-few", 40_000, 12, vectors.Float32, numeric, fewValues},
		{"fifteen-of-few", 40_000, 15, vectors.Float16, numeric, fewValues},
		{"any-float32", 20_000, 40, vectors.Float32, numeric, lowRank},
		{"any-float16", 20_000, 40, vectors.Float16, numeric, lowRank},
		{"any-int8", 20_000, 40, vectors.Int8, numeric, signedBytes},
		{"any-uint8", 20_000, 40, vectors.Uint8, numeric, toBytes(lowRank)},
		{"long-windows", 40_000, 256, vectors.Float32, append(angular, distance.Correlation, distance.L1), windows},
		{"columns-4096", 8_000, 4096, vectors.Float32, angular, lowRank},
	}
}

// hashes are signs of rows along random axes, as of near-duplicates of texts or pictures.
func hashes(rng *rand.Rand, n, dim int) func(int, []float64) {
	const under = 24
	inner, axes, row := lowRank(rng, n, under), table(rng, dim, under), make([]float64, under)
	return func(i int, bits []float64) {
		clear(row)
		inner(i, row)
		for b, axis := range axes {
			if product(row, axis) > 0 {
				bits[b] = 1
			}
		}
	}
}

// fewBits are sets of one to six of a thousand or so, small numbers more often.
func fewBits(rng *rand.Rand, _, dim int) func(int, []float64) {
	return func(_ int, bits []float64) {
		for range 1 + rng.IntN(6) {
			bits[power(rng, dim)] = 1
		}
	}
}

// molecules are sets of the bits of three of 400 fragments, of which some are in many of them, and of a few
// others.
func molecules(rng *rand.Rand, _, dim int) func(int, []float64) {
	fragments := make([][]int, 400)
	for i := range fragments {
		for bit := range dim {
			if rng.Float64() < 0.02 {
				fragments[i] = append(fragments[i], bit)
			}
		}
	}
	return func(_ int, bits []float64) {
		for range 3 {
			r := rng.Float64()
			for _, bit := range fragments[int(float64(len(fragments))*r*r)] {
				bits[bit] = 1
			}
		}
		for bit := range bits {
			if rng.Float64() < 0.004 {
				bits[bit] = 1
			}
		}
	}
}

// setsOfSizes are random sets whose sizes follow a power law; some numbers are in more of them than others.
func setsOfSizes(rng *rand.Rand, _, dim int) func(int, []float64) {
	often := make([]float64, dim)
	for i := range often {
		often[i] = 2 * math.Pow(rng.Float64(), 3)
	}
	return func(_ int, bits []float64) {
		share := min(0.5, 0.005/(1-rng.Float64()))
		for bit := range bits {
			if rng.Float64() < share*often[bit] {
				bits[bit] = 1
			}
		}
	}
}

// largest are the places of the largest third of the elements, of rows that 40 numbers make.
func largest(rng *rand.Rand, _, dim int) func(int, []float64) {
	axes, row := table(rng, 40, dim), make([]float64, dim)
	return func(_ int, bits []float64) {
		clear(row)
		for _, axis := range axes {
			add(row, axis, rng.NormFloat64())
		}
		least := slices.Sorted(slices.Values(row))[dim-dim/3]
		for i, element := range row {
			if element >= least {
				bits[i] = 1
			}
		}
	}
}

// functions are logarithms of how often tokens stand in the functions of a program: many are one of a
// few short ones, such as getters, others are copies with a change.
func functions(rng *rand.Rand, _, dim int) func(int, []float64) {
	patterns := make([][]float64, 3000)
	for i := range patterns {
		patterns[i] = make([]float64, dim)
		for range 3 + int(20*rng.ExpFloat64()*float64(i)/float64(len(patterns))) {
			patterns[i][power(rng, dim)]++
		}
	}
	return func(_ int, row []float64) {
		copy(row, patterns[power(rng, len(patterns))])
		for rng.IntN(3) > 0 {
			row[power(rng, dim)]++
		}
		for j := range row {
			row[j] = math.Log1p(row[j])
		}
	}
}

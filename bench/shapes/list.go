package shapes

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

var (
	euclidean = []distance.Metric{distance.Euclidean}
	angular   = []distance.Metric{distance.Euclidean, distance.Cosine}
	every     = []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.IP}
	others    = []distance.Metric{distance.L1, distance.Chebyshev, distance.Correlation}
)

// All lists the shapes. Each is one that users have: the comment in front of a fill
// function says where.
func All() []Shape { return slices.Concat(usual(), brought(), tied()) }

// More lists shapes that the gate does not build.
func More() []Shape { return slices.Concat(geometric(), embedded(), coded()) }

func usual() []Shape {
	return []Shape{
		{"gauss", 100_000, 64, vectors.Float32, every, gauss},
		{"gauss-one-column", 100_000, 1, vectors.Float32, euclidean, gauss},
		{"gauss-4096", 6_000, 4096, vectors.Float32, angular, gauss},
		{"ten-rows", 10, 16, vectors.Float32, every, gauss},
		{"uniform-plane", 320_000, 2, vectors.Float32, euclidean, uniform},
		{"uniform-space", 235_000, 3, vectors.Float32, euclidean, uniform},
		{"uniform-bytes", 60_000, 24, vectors.Uint8, every, bytes},
		{"low-rank", 80_000, 96, vectors.Float32, every, lowRank},
		{"half-floats", 80_000, 96, vectors.Float16, angular, lowRank},
		{"blobs", 120_000, 48, vectors.Float32, every, blobs},
		{"islands", 200_000, 32, vectors.Float32, angular, islands},
		{"scales", 100_000, 32, vectors.Float32, euclidean, scales},
		{"near-copies", 80_000, 64, vectors.Float32, angular, nearCopies(1e-3)},
		{"nearer-copies", 80_000, 64, vectors.Float32, angular, nearCopies(1e-5)},
		{"copies", 60_000, 32, vectors.Float32, angular, copies},
		{"one-row-many-times", 60_000, 32, vectors.Float32, angular, oneRow},
		{"long-rows", 40_000, 128, vectors.Float32, every, longRows(0.002, 100)},
		{"very-long-rows", 40_000, 128, vectors.Float32, euclidean, longRows(0.001, 10_000)},
		{"one-outlier", 60_000, 64, vectors.Float32, euclidean, outlier},
		{"log-normal", 60_000, 32, vectors.Float32, angular, heavy(func(x float64) float64 { return math.Exp(2 * x) })},
		{"cubes", 60_000, 32, vectors.Float32, every, heavy(func(x float64) float64 { return x * x * x })},
		{"cauchy", 60_000, 16, vectors.Float32, euclidean, cauchy},
		{"large-column", 60_000, 48, vectors.Float32, euclidean, largeColumn},
		{"constant-columns", 60_000, 64, vectors.Float32, angular, constantColumns},
		{"far-from-zero", 60_000, 16, vectors.Float32, euclidean, farFromZero},
		{"city", 235_000, 2, vectors.Float32, euclidean, city},
		{"spiral", 100_000, 3, vectors.Float32, euclidean, spiral},
		{"spiral-16", 100_000, 16, vectors.Float32, angular, spiral},
		{"grid", 100_000, 3, vectors.Float32, euclidean, grid},
		{"grid-8", 65_536, 8, vectors.Uint8, euclidean, grid},
		{"sorted", 100_000, 24, vectors.Float32, angular, sorted},
		{"hubs", 60_000, 64, vectors.Float32, every, hubs},
		{"one-hot", 60_000, 256, vectors.Uint8, angular, oneHot},
		{"few-values", 60_000, 40, vectors.Uint8, angular, fewValues},
		{"fingerprints", 40_000, 1024, vectors.Uint8, angular, fingerprints},
		{"tiny", 60_000, 32, vectors.Float32, every, scaled(1e-25)},
		{"huge", 60_000, 32, vectors.Float32, euclidean, scaled(1e15)},
		{"signed-bytes", 80_000, 48, vectors.Int8, every, signedBytes},
		{"factors", 60_000, 64, vectors.Float32, []distance.Metric{distance.IP, distance.Cosine}, factors},
		{"words", 107_524, 256, vectors.Float32, []distance.Metric{distance.Cosine}, words},
		{"low-rank-20", 20_000, 20, vectors.Float32, others, lowRank},
	}
}

func normals(rng *rand.Rand, row []float64, size float64) {
	for j := range row {
		row[j] = size * rng.NormFloat64()
	}
}

// table is count rows of normal values, as centers or axes.
func table(rng *rand.Rand, count, dim int) [][]float64 {
	t := make([][]float64, count)
	for i := range t {
		t[i] = make([]float64, dim)
		normals(rng, t[i], 1)
	}
	return t
}

func gauss(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) { normals(rng, row, 1) }
}

func scaled(by float64) func(*rand.Rand, int, int) func(int, []float64) {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner := lowRank(rng, n, dim)
		return func(i int, row []float64) {
			inner(i, row)
			for j := range row {
				row[j] *= by
			}
		}
	}
}

func uniform(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			row[j] = rng.Float64()
		}
	}
}

func bytes(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			row[j] = float64(rng.IntN(256))
		}
	}
}

// lowRank rows lie near a plane of eight dimensions, as embeddings do.
func lowRank(rng *rand.Rand, _, dim int) func(int, []float64) {
	axes := table(rng, min(8, dim), dim)
	return func(_ int, row []float64) {
		normals(rng, row, 0.1)
		for _, axis := range axes {
			add(row, axis, rng.NormFloat64())
		}
	}
}

func add(row, axis []float64, times float64) {
	for j := range row {
		row[j] += times * axis[j]
	}
}

// signedBytes are embeddings quantized to eight bits.
func signedBytes(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		for j := range row {
			row[j] = max(-127, min(127, math.Round(10*row[j])))
		}
	}
}

func blobs(rng *rand.Rand, _, dim int) func(int, []float64) {
	centers := table(rng, 50, dim)
	return func(_ int, row []float64) {
		normals(rng, row, 0.3)
		add(row, centers[rng.IntN(len(centers))], 1)
	}
}

// power draws a number below count, small ones more often.
func power(rng *rand.Rand, count int) int {
	return min(count-1, int(float64(count)*math.Pow(rng.Float64(), 3)))
}

// islands have power-law sizes and spreads from 1 to 1e-4, as clusters of users do.
func islands(rng *rand.Rand, _, dim int) func(int, []float64) {
	centers := table(rng, 300, dim)
	spread := make([]float64, len(centers))
	for i := range spread {
		spread[i] = math.Pow(10, -4*rng.Float64())
	}
	return func(_ int, row []float64) {
		c := power(rng, len(centers))
		normals(rng, row, spread[c])
		add(row, centers[c], 10)
	}
}

// scales mix clouds around zero whose sizes span six orders of magnitude.
func scales(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) { normals(rng, row, math.Pow(10, float64(rng.IntN(7)))) }
}

// nearCopies are 40 versions of each row, as thumbnails or revisions are.
func nearCopies(noise float64) func(*rand.Rand, int, int) func(int, []float64) {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner, base := lowRank(rng, n, dim), table(rng, max(1, n/40), dim)
		for i, row := range base {
			inner(i, row)
		}
		return func(_ int, row []float64) {
			from := base[rng.IntN(len(base))]
			normals(rng, row, noise)
			add(row, from, 1)
		}
	}
}

func copies(rng *rand.Rand, n, dim int) func(int, []float64) {
	base := table(rng, max(1, n/3), dim)
	return func(_ int, row []float64) { copy(row, base[power(rng, len(base))]) }
}

func oneRow(rng *rand.Rand, n, dim int) func(int, []float64) {
	one := table(rng, 1, dim)[0]
	return func(i int, row []float64) {
		copy(row, one)
		if i%4 == 0 {
			normals(rng, row, 1)
		}
	}
}

func longRows(share, times float64) func(*rand.Rand, int, int) func(int, []float64) {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner := lowRank(rng, n, dim)
		return func(i int, row []float64) {
			inner(i, row)
			if rng.Float64() < share {
				for j := range row {
					row[j] *= times
				}
			}
		}
	}
}

func outlier(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		if i == n/2 {
			row[0] = 1e8
		}
	}
}

func heavy(f func(float64) float64) func(*rand.Rand, int, int) func(int, []float64) {
	return func(rng *rand.Rand, _, _ int) func(int, []float64) {
		return func(_ int, row []float64) {
			for j := range row {
				row[j] = f(rng.NormFloat64())
			}
		}
	}
}

func cauchy(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			row[j] = math.Tan(math.Pi * (rng.Float64() - 0.5))
		}
	}
}

// largeColumn has a time stamp or an identifier among its features.
func largeColumn(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		row[dim/2] = math.Round(1e6 * rng.Float64())
	}
}

func constantColumns(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			row[j] = 1000
			if j%4 == 0 {
				row[j] += rng.NormFloat64()
			}
		}
	}
}

// farFromZero rows vary by a thousandth of their distance from zero.
func farFromZero(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		normals(rng, row, 1)
		for j := range row {
			row[j] += 1000
		}
	}
}

// city has 98 of 100 places in one town and the others on the whole globe.
func city(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		if rng.IntN(50) == 0 {
			row[0], row[1] = 180*rng.Float64()-90, 360*rng.Float64()-180
			return
		}
		row[0], row[1] = 48.8+0.02*rng.NormFloat64(), 2.35+0.02*rng.NormFloat64()
	}
}

func spiral(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		t := 20 * math.Pi * rng.Float64()
		row[0], row[1], row[2] = t*math.Cos(t), t*math.Sin(t), t/10
		for j := range row {
			row[j] += 0.01 * rng.NormFloat64()
		}
	}
}

// grid rows are the points of a cube: each has many neighbors equally far.
func grid(_ *rand.Rand, n, dim int) func(int, []float64) {
	side := max(2, int(math.Ceil(math.Pow(float64(n), 1/float64(dim)))))
	return func(i int, row []float64) {
		for j := range row {
			row[j] = float64(i % side)
			i /= side
		}
	}
}

// sorted rows drift: near rows have near numbers, as in a recording.
func sorted(rng *rand.Rand, _, dim int) func(int, []float64) {
	at := make([]float64, dim)
	return func(_ int, row []float64) {
		for j := range row {
			at[j] += 0.05 * rng.NormFloat64()
			row[j] = at[j] + 0.1*rng.NormFloat64()
		}
	}
}

// hubs: a few rows near the center are near to all others.
func hubs(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(i int, row []float64) {
		size := 1.0
		if i%500 == 0 {
			size = 0.05
		}
		normals(rng, row, size)
	}
}

func oneHot(rng *rand.Rand, _, dim int) func(int, []float64) {
	return func(_ int, row []float64) {
		for range 3 {
			row[power(rng, dim)] = 1
		}
	}
}

func fewValues(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			row[j] = float64(rng.IntN(3))
		}
	}
}

// fingerprints are sets of bits, those of a family alike.
func fingerprints(rng *rand.Rand, _, dim int) func(int, []float64) {
	families := table(rng, 200, dim)
	return func(_ int, row []float64) {
		family := families[rng.IntN(len(families))]
		for j := range row {
			if family[j] > 1.3 != (rng.IntN(25) == 0) {
				row[j] = 1
			}
		}
	}
}

// factors are of a recommender: long rows are those of popular items.
func factors(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		size := math.Exp(0.5 * rng.NormFloat64())
		for j := range row {
			row[j] *= size
		}
	}
}

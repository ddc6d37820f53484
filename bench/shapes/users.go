package shapes

import (
	"math"
	"math/rand/v2"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Shapes of tables that users bring: recordings, texts, counts, tracks, and sets whose parts
// differ in size, dimension or unit.

// brought lists these shapes.
func brought() []Shape {
	return []Shape{
		{"windows", 50_000, 64, vectors.Float32, angular, windows},
		{"levels", 80_000, 64, vectors.Float32, angular, levels},
		{"one-huge-cluster", 60_000, 48, vectors.Float32, angular, oneHuge},
		{"background", 60_000, 16, vectors.Float32, euclidean, background},
		{"planes", 50_000, 128, vectors.Float32, euclidean, planes},
		{"rolled", 60_000, 100, vectors.Float32, euclidean, rolled},
		{"corners", 40_000, 24, vectors.Uint8, []distance.Metric{distance.Euclidean, distance.L1}, corners},
		{"topics", 30_000, 50, vectors.Float32, []distance.Metric{distance.Euclidean, distance.Cosine, distance.L1}, topics},
		{"dimensions", 64_000, 64, vectors.Float32, euclidean, dimensions},
		{"rays", 40_000, 64, vectors.Float32, every, rays},
		{"units", 50_000, 20, vectors.Float32, angular, units},
		{"tracks", 80_000, 5, vectors.Float32, euclidean, tracks},
		{"counts", 15_000, 500, vectors.Float32, angular, counts},
		{"categories-and-numbers", 50_000, 80, vectors.Float32, euclidean, categories},
		{"popular", 50_000, 48, vectors.Float32, []distance.Metric{distance.IP, distance.Cosine}, popular},
		{"thumbnails", 40_000, 96, vectors.Uint8, angular, thumbnails},
	}
}

// windows are the stretches of one recording, each a step after the one before it.
func windows(rng *rand.Rand, n, dim int) func(int, []float64) {
	recording := make([]float64, n+dim)
	for i := 1; i < len(recording); i++ {
		recording[i] = recording[i-1] + rng.NormFloat64()
	}
	return func(i int, row []float64) { copy(row, recording[i:]) }
}

// levels are clusters of clusters, five deep, ten in each, a quarter as wide as what holds them.
func levels(rng *rand.Rand, _, dim int) func(int, []float64) {
	const deep, wide = 5, 10
	seed, center := rng.Uint64(), make([]float64, dim)
	return func(_ int, row []float64) {
		size := 1.0
		var path uint64
		for range deep {
			path = path*wide + 1 + rng.Uint64N(wide)
			normals(rand.New(rand.NewPCG(seed, path)), center, size)
			for j := range row {
				row[j] += center[j]
			}
			size /= 4
		}
		for j := range row {
			row[j] += size * rng.NormFloat64()
		}
	}
}

// oneHuge has most rows in one cluster, and thousands of clusters of a few.
func oneHuge(rng *rand.Rand, _, dim int) func(int, []float64) {
	centers := table(rng, 5000, dim)
	return func(_ int, row []float64) {
		normals(rng, row, 0.5)
		if rng.IntN(10) < 3 {
			add(row, centers[power(rng, len(centers))], 3)
		}
	}
}

// background has tight clusters and, for a fifth of the rows, nothing near.
func background(rng *rand.Rand, _, dim int) func(int, []float64) {
	centers := table(rng, 200, dim)
	return func(_ int, row []float64) {
		if rng.IntN(5) == 0 {
			for j := range row {
				row[j] = 30*rng.Float64() - 15
			}
			return
		}
		normals(rng, row, 0.05)
		add(row, centers[rng.IntN(len(centers))], 5)
	}
}

// planes are 500 planes through the origin, as faces of a person in any light are.
func planes(rng *rand.Rand, _, dim int) func(int, []float64) {
	axes := table(rng, 1000, dim)
	return func(_ int, row []float64) {
		p := 2 * rng.IntN(len(axes)/2)
		add(row, axes[p], rng.NormFloat64())
		add(row, axes[p+1], rng.NormFloat64())
	}
}

// rolled is a sheet rolled up in a space of many dimensions, with some noise.
func rolled(rng *rand.Rand, _, dim int) func(int, []float64) {
	axes, scale := table(rng, 3, dim), 1/math.Sqrt(float64(dim))
	return func(_ int, row []float64) {
		t := 1.5 * math.Pi * (1 + 2*rng.Float64())
		normals(rng, row, 0.1)
		for i, x := range [3]float64{t * math.Cos(t), 21 * rng.Float64(), t * math.Sin(t)} {
			add(row, axes[i], x*scale)
		}
	}
}

// corners are those of a cube: distances take as many values as it has dimensions.
func corners(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			row[j] = float64(rng.IntN(2))
		}
	}
}

// topics are shares that sum to one, a few of them large.
func topics(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		var sum float64
		for j := range row {
			row[j] = math.Pow(rng.Float64(), 10) * rng.ExpFloat64()
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
}

// dimensions mixes clouds of one dimension, of two, and so on.
func dimensions(rng *rand.Rand, n, dim int) func(int, []float64) {
	return func(i int, row []float64) { normals(rng, row[:1+i*dim/n], 1) }
}

// rays are directions of which every row is a multiple.
func rays(rng *rand.Rand, _, dim int) func(int, []float64) {
	axes := table(rng, 200, dim)
	return func(_ int, row []float64) { add(row, axes[rng.IntN(len(axes))], rng.Float64()) }
}

// units are columns in units of their own, from thousandths to millions.
func units(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner, unit := lowRank(rng, n, dim), make([]float64, dim)
	for j := range unit {
		unit[j] = math.Pow(10, 9*rng.Float64()-3)
	}
	return func(i int, row []float64) {
		inner(i, row)
		for j := range row {
			row[j] = unit[j] * (row[j] + 1)
		}
	}
}

// tracks are of somebody who drives, and stops: place, height, speed and heading.
func tracks(rng *rand.Rand, _, _ int) func(int, []float64) {
	x, y, height, heading, stands := 48.0, 11.0, 500.0, 0.0, false
	return func(_ int, row []float64) {
		speed := 0.0
		if stands = stands != (rng.IntN(100) == 0); !stands {
			speed = 12 * rng.ExpFloat64()
			heading += 0.2 * rng.NormFloat64()
			height += 0.3 * rng.NormFloat64()
		}
		x, y = x+1e-5*speed*math.Cos(heading), y+1e-5*speed*math.Sin(heading)
		copy(row, []float64{x + 1e-5*rng.NormFloat64(), y + 1e-5*rng.NormFloat64(), height, speed, math.Mod(180/math.Pi*heading, 360)})
	}
}

// counts are logarithms of how often each of many genes was read in a cell: mostly zero.
func counts(rng *rand.Rand, _, dim int) func(int, []float64) {
	kinds := table(rng, 15, dim)
	return func(_ int, row []float64) {
		kind, depth := kinds[rng.IntN(len(kinds))], math.Exp(0.5*rng.NormFloat64())
		for j := range row {
			mean, reads := depth*rng.ExpFloat64()*math.Exp(2*kind[j]-3), 0
			for sum := rng.ExpFloat64(); sum < mean; sum += rng.ExpFloat64() {
				reads++
			}
			row[j] = math.Log1p(float64(reads))
		}
		row[0]++ // so that no row is zero
	}
}

// categories are one-hot columns of eight properties, beside ten numbers.
func categories(rng *rand.Rand, _, dim int) func(int, []float64) {
	const numbers, properties = 10, 8
	each := (dim - numbers) / properties
	return func(_ int, row []float64) {
		normals(rng, row[:numbers], 1)
		for p := range properties {
			row[numbers+p*each+power(rng, each)] = 1
		}
	}
}

// popular are factors of a recommender one of whose columns grows with how often an item was taken.
func popular(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		row[0] -= math.Log(1 - rng.Float64())
	}
}

// thumbnails are bytes of pictures, of each six or so versions that differ by two at most.
func thumbnails(rng *rand.Rand, n, dim int) func(int, []float64) {
	pictures := table(rng, max(1, n/6), dim)
	return func(_ int, row []float64) {
		picture, sum := pictures[rng.IntN(len(pictures))], 0.0
		for j := range row {
			sum += picture[j] // near pixels are alike
			row[j] = max(0, min(255, math.Round(128+15*sum)+float64(rng.IntN(5)-2)))
		}
	}
}

package shapes

import (
	"math"
	"math/rand/v2"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Shapes of embeddings, signals and pictures as models and sensors leave them.

// embedded lists these shapes.
func embedded() []Shape {
	angles := []distance.Metric{distance.Cosine, distance.IP, distance.Correlation}
	return []Shape{
		{"one-cone", 40_000, 128, vectors.Float32, append(angles, distance.Euclidean), oneCone(0.3)},
		{"one-thin-cone", 40_000, 64, vectors.Float32, angles, oneCone(1e-3)},
		{"few-large-columns", 40_000, 384, vectors.Float32, every, fewLargeColumns},
		{"truncated", 40_000, 256, vectors.Float32, every, truncated},
		{"half-zeros", 40_000, 40, vectors.Float32, append(every, distance.Correlation, distance.L1), halfZeros},
		{"saturated", 40_000, 64, vectors.Uint8, append(every, distance.L1), saturated},
		{"coarse", 50_000, 48, vectors.Int8, every, coarse},
		{"decaying-columns", 60_000, 100, vectors.Float32, append(every, distance.L1, distance.Chebyshev), decaying},
		{"lengths", 50_000, 64, vectors.Float32, every, lengths},
		{"heavy-lengths", 50_000, 64, vectors.Float32, []distance.Metric{distance.IP}, heavyLengths},
		{"opposed", 40_000, 32, vectors.Float32, []distance.Metric{distance.IP}, opposed},
		{"positive", 50_000, 50, vectors.Float32, angles, positive},
		{"last-bits", 40_000, 32, vectors.Float32, append(angular, distance.L1), lastBits},
		{"half-floats-at-the-end", 40_000, 64, vectors.Float16, every, halfFloats(15_000)},
		{"half-floats-at-zero", 40_000, 64, vectors.Float16, every, halfFloats(1e-6)},
		{"shifted-pictures", 40_000, 256, vectors.Uint8, append(angular, distance.L1), shifted},
		{"probabilities", 40_000, 100, vectors.Float32, append(angular, distance.L1), probabilities},
		{"rectified", 40_000, 256, vectors.Float32, every, rectified},
		{"spectra", 40_000, 129, vectors.Float32, append(angular, distance.Correlation), spectra},
		{"standardized-windows", 50_000, 128, vectors.Float32, []distance.Metric{distance.Euclidean, distance.Correlation, distance.Chebyshev}, standardizedWindows},
		{"degrees", 50_000, 20, vectors.Float32, []distance.Metric{distance.Euclidean, distance.L1}, degrees},
		{"connections", 50_000, 38, vectors.Float32, append(angular, distance.L1), connections},
	}
}

// oneCone rows have all cosines near 1: they vary little about a mean.
func oneCone(wide float64) filler {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner, mean := lowRank(rng, n, dim), table(rng, 1, dim)[0]
		return func(i int, row []float64) {
			inner(i, row)
			for j := range row {
				row[j] = wide*row[j] + 3*mean[j]
			}
		}
	}
}

// fewLargeColumns has three columns that vary up to hundreds of times as much as the others, as
// embeddings of language models do.
func fewLargeColumns(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		row[dim/50] *= 50
		row[dim/4] = 300 + 120*row[dim/4]
		row[dim-dim/5] *= 20
	}
}

// truncated has half of its rows cut to their first quarter.
func truncated(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		for j := range row {
			row[j] /= math.Sqrt(float64(1 + j))
		}
		if rng.IntN(2) == 0 {
			clear(row[dim/4:])
		}
	}
}

func halfZeros(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		if rng.IntN(2) == 0 {
			clear(row)
		}
	}
}

// saturated are bytes most of which are 255, as of an image of a bright sky.
func saturated(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		for j := range row {
			row[j] = max(0, min(255, math.Round(330+100*row[j])))
		}
	}
}

// coarse are embeddings of seven steps.
func coarse(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		for j := range row {
			row[j] = max(-3, min(3, math.Round(row[j]/3)))
		}
		row[0]++
	}
}

// decaying columns vary less and less, as coordinates along principal axes do.
func decaying(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		normals(rng, row, 1)
		for j := range row {
			row[j] *= math.Exp(-float64(j) / 4)
		}
	}
}

// lengths of rows span four orders of magnitude, whatever their directions.
func lengths(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		size := math.Pow(10, 4*rng.Float64())
		for j := range row {
			row[j] *= size
		}
	}
}

// heavyLengths are directions of which few have most of the length.
func heavyLengths(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		direction(rng, row)
		size := math.Pow(1-rng.Float64(), -1/1.2)
		for j := range row {
			row[j] *= size
		}
	}
}

// opposed rows lie along two opposite directions: most inner products are negative.
func opposed(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(i int, row []float64) {
		normals(rng, row, 0.05)
		row[0] = float64(1-2*(i%2)) * math.Pow(10, 4*rng.Float64()-3)
	}
}

func positive(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			x := rng.NormFloat64()
			row[j] = x * x
		}
	}
}

// lastBits are copies that differ in the last bit of some elements.
func lastBits(rng *rand.Rand, n, dim int) func(int, []float64) {
	base := table(rng, max(1, n/10), dim)
	return func(_ int, row []float64) {
		for j, x := range base[rng.IntN(len(base))] {
			last := float32(x)
			if rng.IntN(10) == 0 {
				last = math.Nextafter32(last, 100)
			}
			row[j] = float64(last)
		}
	}
}

// halfFloats are as large as float16 holds, or so small that it has few bits left.
func halfFloats(size float64) filler {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner := lowRank(rng, n, dim)
		return func(i int, row []float64) {
			inner(i, row)
			for j := range row {
				row[j] = max(-60_000, min(60_000, size*row[j]))
			}
		}
	}
}

// shifted are windows of a few pictures, of 16 x 16 pixels, anywhere.
func shifted(rng *rand.Rand, n, dim int) func(int, []float64) {
	const side = 40
	width := int(math.Sqrt(float64(dim)))
	pictures := table(rng, max(1, n/400), side*side)
	for _, p := range pictures {
		for range 4 { // blurred along and across
			for i := side; i < len(p); i++ {
				p[i] = (p[i] + p[i-1] + p[i-side]) / 1.8
			}
		}
	}
	return func(_ int, row []float64) {
		p, y, x := pictures[rng.IntN(len(pictures))], rng.IntN(side-width), rng.IntN(side-width)
		for j := range row {
			row[j] = max(0, min(255, math.Round(128+10*p[(y+j/width)*side+x+j%width])))
		}
	}
}

// probabilities are those of a classifier.
func probabilities(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		var sum float64
		for j := range row {
			row[j] = math.Exp(2 * row[j])
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
}

// rectified are outputs of a layer of which most are zero.
func rectified(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := lowRank(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		for j := range row {
			row[j] = max(0, row[j]-3)
		}
		row[0] += 0.01 // so that no row is zero
	}
}

// spectra are logarithms of how strong frequencies are in a sound that glides.
func spectra(rng *rand.Rand, _, _ int) func(int, []float64) {
	pitch := 10.0
	return func(_ int, row []float64) {
		pitch = max(3, min(30, pitch+0.1*rng.NormFloat64()))
		loud := 0.01 + rng.Float64()
		for j := range row {
			power := 1e-3 * rng.ExpFloat64()
			for harmonic := 1.0; harmonic < 6; harmonic++ {
				off := float64(j) - harmonic*pitch
				power += loud / harmonic * math.Exp(-off*off/2)
			}
			row[j] = math.Log(power + 1e-3)
		}
	}
}

// standardizedWindows are stretches of a recording less their mean, by their spread.
func standardizedWindows(rng *rand.Rand, n, dim int) func(int, []float64) {
	inner := windows(rng, n, dim)
	return func(i int, row []float64) {
		inner(i, row)
		var sum, squares float64
		for _, x := range row {
			sum += x
			squares += x * x
		}
		mean := sum / float64(dim)
		spread := math.Sqrt(max(1e-12, squares/float64(dim)-mean*mean))
		for j := range row {
			row[j] = (row[j] - mean) / spread
		}
	}
}

// degrees are angles of molecules in tenths of a degree, from -180 to 180, some far from the usual ones.
func degrees(rng *rand.Rand, _, dim int) func(int, []float64) {
	usual := table(rng, 30, dim)
	return func(_ int, row []float64) {
		from := usual[rng.IntN(len(usual))]
		for j := range row {
			angle := 90*from[j] + 5*rng.NormFloat64()/math.Sqrt(rng.Float64()+0.01)
			row[j] = math.Round(10*(math.Mod(angle+100_000*180, 360)-180)) / 10
		}
	}
}

// connections are of a network's log: most are one attack's, alike in nearly all columns, and the
// others differ by orders of magnitude.
func connections(rng *rand.Rand, _, dim int) func(int, []float64) {
	return func(_ int, row []float64) {
		attack := rng.IntN(5) > 0
		for j := range row {
			switch {
			case attack && j < 2:
				row[j] = 1032
			case attack:
				row[j] = float64(j%3) * 255.5
			case j < 2:
				row[j] = math.Floor(100 / (1 - rng.Float64()))
			default:
				row[j] = float64(rng.IntN(512))
			}
		}
		row[dim-1] = 1 + float64(rng.IntN(100)/99)
	}
}

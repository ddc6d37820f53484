package shapes

import (
	"math/rand/v2"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Shapes of ties and copies, each followed by its distinct twin: the same rows, a little apart.
// A build of a shape of ties may take no more than twice the time of its twin.

var sets = []distance.Metric{distance.Hamming, distance.Jaccard}

// tied lists these shapes.
func tied() []Shape {
	return []Shape{
		{"bits-as-bytes", 200_000, 2048, vectors.Uint8, euclidean, fingerprints},
		{"bits-as-bytes, distinct", 200_000, 2048, vectors.Uint8, euclidean, distinct(fingerprints)},
		{"packed-bits", 200_000, 256, vectors.Uint8, sets, packed(fingerprints)},
		{"hot-columns", 200_000, 256, vectors.Uint8, angular, oneHot},
		{"hot-columns, distinct", 200_000, 256, vectors.Uint8, angular, distinct(oneHot)},
		{"few-levels", 200_000, 16, vectors.Uint8, angular, fewValues},
		{"few-levels, distinct", 200_000, 16, vectors.Uint8, angular, distinct(fewValues)},
		{"half-one-row", 200_000, 32, vectors.Float32, angular, halfOneRow},
		{"half-one-row, distinct", 200_000, 32, vectors.Float32, angular, apart(halfOneRow)},
		{"half-one-row of bytes", 200_000, 32, vectors.Uint8, angular, toBytes(halfOneRow)},
	}
}

type filler = func(rng *rand.Rand, n, dim int) func(i int, row []float64)

// distinct sets bytes of few values apart: a value is some step, and less than a step beside it.
func distinct(of filler) filler {
	const step, beside = 64, 8
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner := of(rng, n, dim)
		return func(i int, row []float64) {
			inner(i, row)
			for j := range row {
				row[j] = step*row[j] + float64(rng.IntN(beside))
			}
		}
	}
}

// apart adds a little noise to every value.
func apart(of filler) filler {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner := of(rng, n, dim)
		return func(i int, row []float64) {
			inner(i, row)
			for j := range row {
				row[j] += 1e-2 * rng.NormFloat64()
			}
		}
	}
}

// toBytes rounds normal values to bytes.
func toBytes(of filler) filler {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner := of(rng, n, dim)
		return func(i int, row []float64) {
			inner(i, row)
			for j := range row {
				row[j] = float64(int(max(0, min(255, 128+30*row[j]))))
			}
		}
	}
}

// packed packs eight bits into a byte.
func packed(of filler) filler {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		inner, bits := of(rng, n, 8*dim), make([]float64, 8*dim)
		return func(i int, row []float64) {
			clear(bits)
			inner(i, bits)
			for j, bit := range bits {
				row[j/8] = 2*row[j/8] + bit
			}
		}
	}
}

// halfOneRow has every second row the same.
func halfOneRow(rng *rand.Rand, n, dim int) func(int, []float64) {
	one := table(rng, 1, dim)[0]
	return func(i int, row []float64) {
		copy(row, one)
		if i%2 == 0 {
			normals(rng, row, 1)
		}
	}
}

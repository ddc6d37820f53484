package gofuncs

import "math"

// Dim is the length of the demo's rows. With some 60 terms of weight a function,
// hashing 256 elements blurs a cosine by about 0.06 and swaps neighbors; 512
// halves what is left to gain, at the same cost per comparison as the graph's
// bookkeeping; more only makes the file larger.
const Dim = 512

// Vectors returns one row of dim elements for each function, in order, each of
// length 1. threads is as in Options; the rows do not depend on it.
func Vectors(functions []Function, dim, threads int) []float32 {
	having := make(map[uint64]int32)
	for i := range functions {
		for _, t := range functions[i].Terms {
			having[t.Hash]++
		}
	}
	rows := make([]float32, len(functions)*dim)
	parallel(len(functions), threads, func(i int) {
		sums := make([]int64, dim)
		for _, t := range functions[i].Terms {
			if n := having[t.Hash]; n > 1 {
				w := weight(t.Count, len(functions), int(n), factors[t.kind])
				h := t.Hash
				for range Slots {
					at, sign := slot(h, dim)
					sums[at] += sign * w
					h = mix(h)
				}
			}
		}
		normalize(sums, &functions[i], rows[i*dim:(i+1)*dim])
	})
	return rows
}

// normalize scales sums to length 1. A function that shares no term with any
// other, or whose terms cancel, points where its name says: cosine has no place
// for a zero row.
func normalize(sums []int64, f *Function, row []float32) {
	var square float64
	for _, s := range sums {
		square += float64(float64(s) * float64(s)) // the conversion forbids fusing
	}
	if square == 0 {
		at, sign := slot(hash([]byte(f.ID)), len(sums))
		row[at] = float32(sign)
		return
	}
	length := math.Sqrt(square)
	for i, s := range sums {
		row[i] = float32(float64(s) / length)
	}
}

var Slots = 4

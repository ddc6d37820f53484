package gofuncs

import "math"

// Dim is the length of the demo's rows, and copies how many of its elements
// each term is added to. Hashing blurs cosines. Of the ten nearest functions by
// the unhashed weights, this share is among the ten nearest rows (60 functions
// against all 20,049 of Go 1.26; TestHashingKeepsNeighbors does it for a part of
// the library):
//
//	copies  256    512    1024 elements
//	1       0.610  0.700  0.782
//	2       0.688  0.785  0.825
//	4       0.690  0.795  0.832
//	8       0.663  0.787  0.808
//
// One copy is worst because two heavy terms, such as the names cos and erf, that
// meet in one element make strangers neighbors. 512 elements with 4 copies are
// as good as 1024 with one; twice as many would double file and time.
const (
	Dim    = 512
	copies = 4
)

// Version changes when the same function gets another row.
const Version = 1

// Vectors returns one row of dim elements for each function, in order, each of
// length 1. threads is as in Options; the rows do not depend on it.
func Vectors(functions []Function, dim, threads int) []float32 {
	having := frequencies(functions)
	rows := make([]float32, len(functions)*dim)
	parallel(len(functions), threads, func(i int) {
		sums := make([]int64, dim)
		f := &functions[i]
		for j, w := range weights(f.Terms, len(functions), having) {
			scatter(f.Terms[j].Hash, w, sums)
		}
		normalize(sums, f, rows[i*dim:(i+1)*dim])
	})
	return rows
}

// frequencies counts the functions that have a term.
func frequencies(functions []Function) map[uint64]int {
	having := make(map[uint64]int)
	for i := range functions {
		for _, t := range functions[i].Terms {
			having[t.Hash]++
		}
	}
	return having
}

// weights returns the weight of each term, the parts brought to their shares.
// Terms that no other of the n functions has weigh nothing.
func weights(terms []Term, n int, having map[uint64]int) []int64 {
	w := make([]int64, len(terms))
	var square [parts]float64
	for i, t := range terms {
		if h := having[t.Hash]; h > 1 {
			w[i] = weight(t.Count, n, h, kinds[t.kind].factor)
			x := float64(w[i])
			square[kinds[t.kind].part] += float64(x * x) // the conversion forbids fusing
		}
	}
	for i, t := range terms {
		if p := kinds[t.kind].part; w[i] != 0 {
			w[i] = int64(float64(w[i]) * shares[p] / math.Sqrt(square[p]) * (1 << 24))
		}
	}
	return w
}

// scatter adds a term's weight to copies of the row's elements.
func scatter(h uint64, w int64, sums []int64) {
	for range copies {
		at, sign := slot(h, len(sums))
		sums[at] += sign * w
		h = mix(h)
	}
}

// normalize scales sums to length 1. A function that shares no term with any
// other, or whose terms cancel, points where its name says: cosine has no place
// for a zero row.
func normalize(sums []int64, f *Function, row []float32) {
	var square float64
	for _, s := range sums {
		square += float64(float64(s) * float64(s))
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

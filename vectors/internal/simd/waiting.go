package simd

import "math/bits"

// WaitingMost is how many candidates of a row wait: more than most rows find in a leaf.
// Twice as many would take the room of a leaf's columns in a second-level cache.
const WaitingMost = 32

// Waiting are candidates of a row that are not yet offered to its list.
type Waiting struct {
	Distances, IDs [WaitingMost]uint32
}

// WaitingColumns are columns of a tile, whose candidates wait. All slices are as long as there are columns.
type WaitingColumns struct {
	IDs     []uint32
	Limits  []uint32  // of the distances that candidates may have
	Counts  []uint32  // of the candidates that wait
	Waiting []Waiting // of which the first ones, so many as Counts tells, are candidates
}

func bitsGo(words []uint64, numbers []uint32) (n int) {
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			numbers[n] = uint32(64*i + bits.TrailingZeros64(word))
			n++
		}
	}
	return n
}

func noteGo(near, distances []uint32, columns *WaitingColumns, mine *Waiting, n, limit, id uint32) (done int, after uint32) {
	for i, j := range near {
		if n == WaitingMost || columns.Counts[j] == WaitingMost {
			return i, n
		}
		n = mine.add(n, distances[j], columns.IDs[j], limit)
		columns.Counts[j] = columns.Waiting[j].add(columns.Counts[j], distances[j], id, columns.Limits[j])
	}
	return len(near), n
}

// add appends a candidate, as number n, if it is within limit, without a branch, and returns the
// new count. The test is unpredictable.
func (x *Waiting) add(n, distance, id, limit uint32) (after uint32) {
	at := n % WaitingMost
	x.Distances[at], x.IDs[at] = distance, id
	after = n
	if distance <= limit {
		after = n + 1
	}
	return after
}

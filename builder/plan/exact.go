package plan

import "math"

// exactStage is how many rounds of blocks make a stage; after one, lists are folded
// where their blocks have grown to the size of the lists (package builder).
const exactStage = 8

// compressed is what blocks of single entries come to on disk: Pebble keeps some of them
// smaller. Measured 5 times the lists written, 2.2 times on disk, on faces and MNIST.
const compressed = 0.6

// exact are the passes of the exact method.
func (s *Shape) exact() []Pass {
	n, lists := s.n(), s.lists(s.n(), s.K)
	var held memory
	held.block(8 * n * float64(s.K))
	held.heap = float64(s.CodeBytes)*n + 4*n
	s.good(&held)
	rounds := math.Max(1, n/s.blockSide())
	// What a round finds is kept: k entries a row in the first one, and in a later one
	// what is nearer than all before it.
	first := lists * (1 + compressed*math.Log(math.Min(rounds, exactStage)))
	later := lists * compressed * math.Log(math.Max(1, rounds/exactStage))
	folds := 0.0
	if first > lists {
		folds = 1 + math.Floor(later/lists)
	}
	kept := s.storedRows() + first
	after := s.storedRows() + lists + math.Min(later, lists)
	held.heap += lists // what the first round found, before it is written
	compare := Pass{Name: "exact", Does: "compares all rows with all others, block with block", Times: 1,
		ReadBytes: int64(s.rowBytes() * (rounds + 1) / 2), WrittenBytes: int64(first + later + folds*lists), DiskBytes: int64(kept),
		work: work{screen: n * n / 2, touched: n * float64(s.K) * (1 + math.Log(rounds))}, held: held}
	passes := append(s.read(), s.write("order", "copies the rows", work{}, memory{}), compare)
	return append(passes, s.sealed(after, work{}, held)...)
}

// blockSide is the rows of a block: package builder.
func (s *Shape) blockSide() float64 {
	most := math.Min(512, math.Max(16, 640<<10/(4*float64(s.Dim))))
	return math.Min(most, math.Max(16, s.n()/32))
}

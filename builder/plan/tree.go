package plan

import "math"

// treePairs is how many pairs a search in a tree computes where k is 20: measured 70 of
// two dimensions, 140 of three, 480 of five, of uniform rows.
func (s *Shape) treePairs() float64 {
	return 35 * math.Pow(1.7, math.Min(8, float64(s.Dim))) * float64(s.K+10) / 30
}

// sortedWords is the cost of a row in a level of the tree while it is sorted, in words touched, pairWords and entryWords
// those of a pair and of an entry of a list in a search. Processor time on 700,000 uniform rows of three dimensions: 30 to 36,
// and 17 and 130 (testdata/left).
const (
	sortedWords = 30
	pairWords   = 16
	entryWords  = 120
)

// floatBytes is the memory of an element in the tree.
const floatBytes = 4

// tree are the passes of the tree method.
func (s *Shape) tree() []Pass {
	n, lists := s.n(), s.lists(s.n(), s.K)
	levels := math.Log2(n + 2)
	var sorted memory
	sorted.heap += n*(floatBytes*float64(s.Dim)+4) + float64(s.TreeBytes)
	order := s.write("order", "sorts the rows into a k-d tree and writes them in its order", work{touched: sortedWords * n * levels}, sorted)
	var held memory
	held.block(8 * n * float64(s.K))
	held.heap += n*floatBytes*float64(s.Dim) + float64(s.TreeBytes)
	s.good(&held)
	search := Pass{Name: "exact", Does: "searches the tree for every row", Times: 1, ReadBytes: int64(s.rowBytes()),
		WrittenBytes: int64(lists), DiskBytes: int64(s.storedRows() + lists), held: held,
		work: work{touched: n * (pairWords*s.treePairs() + entryWords*float64(s.K))}}
	passes := append(s.read(), order, search)
	return append(passes, s.sealed(s.storedRows()+lists, work{}, held)...)
}

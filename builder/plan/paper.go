package plan

import (
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// visitedWords is how many words far from each other a visit of the propagation touches:
// lists, the set of visited rows, the heap of open ones. Processor time on SIFT, 30,000
// rows: 125 ns a visit, of which a key takes 55.
const visitedWords = 55

// paper are the passes of the paper's method.
func (s *Shape) paper() []Pass {
	n, lists, divisions := s.n(), s.partial(s.n(), s.K), float64(s.Divisions)
	var held memory
	s.good(&held)
	held.block(8 * n * float64(s.K))
	held.heap += float64(s.CodeBytes) * n
	held.mapped += 4 * n * fixed.LeafNumbers * math.Ceil(divisions/fixed.LeafNumbers) // of a size that is known: no garbage
	held.heap += float64(s.Threads) * 8 * fixed.DirectionRows * float64(s.Dim)        // of each node, by rows and by columns
	carving := held
	carving.heap += 24 * n
	leaf := n // halved until it is small enough
	for leaf >= float64(s.LeafSize) {
		leaf /= 2
	}
	depth := math.Log2(n / leaf)
	pairs := n * leaf / 2
	// A division keeps the entries that it finds, fewer in each than in the one before.
	kept := lists * (1 + 0.5*math.Log(math.Max(1, divisions)))
	stored := s.storedRows() + 4*n*divisions
	divide := Pass{Name: "divisions", Does: "carve by hyperplanes, then solve the leaves; each reads all rows twice", Times: divisions,
		ReadBytes: int64(2 * divisions * s.rowBytes()), WrittenBytes: int64(4*n*divisions + kept + lists), DiskBytes: int64(stored + 2.4*lists),
		work: work{leaf: pairs * laterDivisions(divisions, paperFirst), keys: divisions * n * depth / 8, touched: divisions * n * depth * 60}, held: carving, First: paperFirst}
	visits := n * float64(s.Visits) * s.Rounds
	joining := held
	joining.block(8 * n * float64(s.K))
	search := Pass{Name: "propagation", Does: "looks at neighbors of neighbors, best first", Times: s.Rounds,
		ReadBytes: int64(s.Rounds * 2 * s.rowBytes()), WrittenBytes: int64(s.Rounds * lists / 2), DiskBytes: int64(stored + 2*lists),
		work: work{keys: visits, touched: visits * visitedWords}, held: joining}
	order := s.write("order", "divides the rows once, and writes them in that order", work{keys: n * depth / 8, touched: n * depth * 4}, memory{heap: 24 * n})
	passes := append(s.read(), order, divide)
	if s.Recall > 0 {
		passes = append(passes, s.measured(divisions*pairs+visits))
	}
	if s.Rounds > 0 {
		passes = append(passes, search)
	}
	return append(passes, s.sealed(stored+1.2*lists, work{}, held)...)
}

package leaves

import (
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/keyed"
	"github.com/knng/knng/builder/internal/points"
)

// Comparer returns a comparer by keys for one goroutine. The points have codes of any kind.
func Comparer(ps *points.Points, found *candidates.Lists) *keyed.Comparer {
	return keyed.New(found, ps.Keys(), ps.Codes.NewTile())
}

// Solver returns a function that solves leaves of points, by codes or by keys, for one goroutine.
func Solver(ps *points.Points, found *candidates.Lists) func(leaf []uint32) error {
	if !ps.Keyed {
		tile := NewTile(ps.Codes, found)
		return func(leaf []uint32) error {
			tile.Solve(leaf)
			return nil
		}
	}
	c := Comparer(ps, found)
	if !ps.Space.Metric().Coded() {
		return func(leaf []uint32) error {
			_, err := c.Among(leaf, len(leaf))
			return err
		}
	}
	rows := keyed.Rows{Rows: ps.Rows, Space: ps.Space}
	return func(leaf []uint32) error {
		_, err := c.Leaf(rows, leaf)
		return err
	}
}

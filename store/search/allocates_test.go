//go:build !race

package search_test

import (
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors/distance"
)

// TestAllocatesNothing: once a query of its kind was answered. The race detector has pools lose
// what they hold.
func TestAllocatesNothing(t *testing.T) {
	for _, typ := range kinds {
		rows := values(7, 2000, 16)
		w := worldOf(t, rows, 16, typ, distance.Euclidean, builder.Options{K: 10}, nil)
		buf := make([]store.Neighbor, 0, 10)
		i := 0
		got := testing.AllocsPerRun(100, func() {
			i = (i + 1) % 5
			var err error
			if buf, err = w.s.Append(buf[:0], rows[16*i:16*i+16], search.Query{K: 10}); err != nil || len(buf) != 10 {
				t.Fatal(err)
			}
		})
		if got != 0 {
			t.Errorf("%v: %v allocations a query", typ, got)
		}
	}
}

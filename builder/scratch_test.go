package builder_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
)

// TestSharedScratch: builds side by side may share a scratch folder, although each
// keeps distances of the same name there, and leave nothing in it.
func TestSharedScratch(t *testing.T) {
	const n, dim = 300, 4
	scratch := t.TempDir()
	sums := func(scratch string) (sums [2]string) {
		var g sync.WaitGroup
		for i := range sums {
			data := clustered(uint64(30+i), n, dim)
			c := &counted{data: data, dim: dim, slow: 30 * time.Microsecond, calls: map[[2]store.Row]int{}}
			dir, in := filepath.Join(t.TempDir(), "g"), input(t, data, dim)
			g.Go(func() {
				res, err := builder.Build(t.Context(), dir, in, builder.Options{K: 4, Method: builder.Paper, LeafSize: 40, Paper: builder.PaperOptions{Visits: 40},
					Divisions: 3, Rounds: 1, Scratch: scratch, Distance: &builder.Distance{Name: "chebyshev", Version: 1, Key: c.key}})
				if err != nil {
					t.Error(err)
					return
				}
				sums[i] = res.Checksum
			})
		}
		g.Wait()
		return sums
	}
	if alone, shared := sums(""), sums(scratch); alone != shared {
		t.Errorf("checksums %v in folders of their own, %v in one", alone, shared)
	}
	left, err := os.ReadDir(scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the scratch folder: %v, %v", left, err)
	}
}

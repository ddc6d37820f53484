package view

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/knng/knng/store/internal/block"
)

// TestAhead: a pass in order finds every byte of a table asked for before it gets there, but for the
// first blocks, in few requests; lookups at random ask for next to nothing.
func TestAhead(t *testing.T) {
	const blocks = 1 << 14
	layout := block.Out(block.Shape{Rows: blocks * block.Rows, K: 20, Lists: blocks * block.Rows})
	size := blocks * layout.Full()
	pass := func(order []int) (requests, bytes int) {
		v := &View{layout: layout, touched: make([]atomic.Uint32, (blocks+15)/16)}
		asked := 0 // the end of what was asked for, in order
		for i, b := range order {
			at := b * layout.Full()
			if order[0] == 0 && i == b && b > inOrder && at+layout.Full() > asked {
				t.Fatalf("block %d ends at byte %d, asked for are %d", b, at+layout.Full(), asked)
			}
			if v.follows(b) {
				if from, to := v.ahead(b, at, size); from < to {
					requests, bytes, asked = requests+1, bytes+to-from, max(asked, to)
				}
			}
			v.touched[b/16].Or(verified << (b % 16 * 2))
		}
		return requests, bytes
	}
	order := make([]int, blocks)
	for i := range order {
		order[i] = i
	}
	if requests, bytes := pass(order); requests > size/aheadBytes+1 || bytes > size {
		t.Errorf("in order: %d requests of %d bytes, a table of %d", requests, bytes, size)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(blocks, func(i, j int) { order[i], order[j] = order[j], order[i] })
	if _, bytes := pass(order[:blocks/8]); bytes > size/100 {
		t.Errorf("at random: %d bytes of a table of %d", bytes, size)
	}
}

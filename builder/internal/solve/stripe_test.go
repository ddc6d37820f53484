package solve

import (
	"errors"
	"math"
	"testing"

	"github.com/knng/knng/store"
)

// TestStripeRefusesDamagedBlocks: what a block of lists may not hold is an error, never a
// wrong list.
func TestStripeRefusesDamagedBlocks(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		place uint32
		ids   []uint32
		keys  []float32
		right bool
	}{
		"as written":           {5, []uint32{1, 4, 2}, []float32{1, 1, 2}, true},
		"place before":         {3, []uint32{1}, []float32{1}, false},
		"place behind":         {8, []uint32{1}, []float32{1}, false},
		"no such neighbor":     {5, []uint32{1, 10}, []float32{1, 2}, false},
		"keys descend":         {5, []uint32{1, 2}, []float32{2, 1}, false},
		"ties descend":         {5, []uint32{2, 1}, []float32{1, 1}, false},
		"neighbor twice":       {5, []uint32{1, 1}, []float32{1, 1}, false},
		"a key is no number":   {5, []uint32{1, 2}, []float32{1, nan}, false},
		"the first one is not": {5, []uint32{1, 2}, []float32{nan, 2}, false},
	} {
		s := NewStripe(4, 8, 3)
		s.Batch.Reset()
		s.Batch.Append(c.place, c.ids, c.keys)
		if err := s.Offer(10); c.right != (err == nil) || err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		s.Free()
	}
}

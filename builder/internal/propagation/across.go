package propagation

import (
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Rows may come in parts whose rows have been compared with each other. Joins then compare only places of
// different parts: two places of one part would already be in each other's lists.

// A block is the places around one place that are of the same part, the new ones first.
type block struct{ from, old, to int }

// sortByPart sorts the places by part, the new ones of each part first.
func (a *around) sortByPart(part []uint16) {
	a.left, a.blocks = append(a.left[:0], a.all...), a.blocks[:0]
	fresh, to := a.fresh, 0 // new places among those left, places in blocks
	for left := a.left; len(left) > 0; {
		from, n, later, first := to, 0, 0, part[left[0]]
		for i, x := range left {
			if part[x] == first {
				a.all[to], to = x, to+1
				continue
			}
			if left[n], n = x, n+1; i < fresh {
				later++
			}
		}
		a.blocks = append(a.blocks, block{from, from + fresh - later, to})
		left, fresh = left[:n], later
	}
}

// joinAcross compares the new places around the current one with all of other parts.
func (j *Join) joinAcross() (pairs int) {
	a := &j.here
	for i, b := range a.blocks {
		j.others = j.others[:0]
		for o, other := range a.blocks {
			if o != i {
				j.others = append(j.others, a.all[other.from:other.old]...)
			}
		}
		fresh := len(j.others)
		for o, other := range a.blocks {
			if o != i && b.old > b.from {
				j.others = append(j.others, a.all[other.old:other.to]...)
			}
		}
		if len(j.others) == 0 {
			continue
		}
		j.tile.Columns(a.all[b.from:b.to], nil)
		j.compareRows(j.others[:fresh], b.to-b.from)
		j.compareRows(j.others[fresh:], b.old-b.from)
		pairs += fresh*(b.to-b.from) + (len(j.others)-fresh)*(b.old-b.from)
	}
	return pairs / 2 // each was compared for both of its places
}

// compareRows compares some of the places around the current one with the first columns, and offers them the
// near ones.
func (j *Join) compareRows(rows []uint32, wide int) {
	var bounds [codes.BandRows]uint32
	for band := range slices.Chunk(rows, codes.BandRows) {
		for r, x := range band {
			bounds[r] = j.lists.Bound(x)
		}
		j.tile.Rows(band, wide)
		j.tile.Select(bounds[:len(band)])
		j.offerNear(band)
	}
}

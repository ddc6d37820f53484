package leaves

import (
	"slices"

	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors/codes"
)

// A build may join graphs of parts of its rows. Rows of one part have been compared with each other, so a
// leaf compares only rows of different parts: half of its pairs if there are two parts.

// A parted is a leaf sorted by parts: row i comes after all starts[i] rows of lower parts.
type parted struct {
	leaf   []uint32
	starts []int
	others []uint32 // of parts other than the current one
	left   []uint32 // rows that are not sorted yet
}

// set takes a leaf, and returns the number of its pairs of different parts. part is the part of every place.
func (p *parted) set(leaf []uint32, part []uint16) (pairs int64) {
	p.leaf, p.starts, p.left = leaf, p.starts[:0], append(p.left[:0], leaf...)
	for left := p.left; len(left) > 0; {
		start, n, first := len(p.starts), 0, part[left[0]]
		for _, place := range left {
			if part[place] == first {
				leaf[len(p.starts)], p.starts = place, append(p.starts, start)
			} else {
				left[n], n = place, n+1
			}
		}
		pairs += int64(start) * int64(len(p.starts)-start)
		left = left[:n]
	}
	return pairs
}

// Across compares the rows of a leaf with rows of other parts, each pair once for both of its rows, and
// returns the number of pairs. The lists do not depend on the way it takes.
func (w *Tile) Across(leaf []uint32, part []uint16) (pairs int64) {
	p := &w.parted
	if pairs = p.set(leaf, part); pairs == 0 {
		return 0
	}
	if tied := w.look(leaf); 3*(len(w.open)+tied) > len(leaf) {
		w.acrossTwice()
	} else {
		w.acrossOnce()
	}
	return pairs
}

// acrossTwice compares the rows of every part with all others, only for these rows.
func (w *Tile) acrossTwice() {
	p := &w.parted
	for from := 0; from < len(p.leaf); {
		to := from
		for to < len(p.leaf) && p.starts[to] == from {
			to++
		}
		p.others = append(append(p.others[:0], p.leaf[:from]...), p.leaf[to:]...)
		w.Compare(p.others, p.leaf[from:to])
		from = to
	}
}

// acrossOnce compares every row with those of lower parts, for both.
func (w *Tile) acrossOnce() {
	leaf, starts := w.parted.leaf, w.parted.starts
	w.makeWaiting(len(leaf))
	end := starts[len(leaf)-1]
	for at := 0; at < end; at += points.LeafColumns {
		columns := leaf[at:min(at+points.LeafColumns, end)]
		w.tile.Expect(columns)
		w.tile.Columns(columns, nil)
		w.wait(columns, at)
		first, _ := slices.BinarySearch(starts, at+1)
		for ; first < len(leaf); first += codes.BandRows {
			band := leaf[first:min(first+codes.BandRows, len(leaf))]
			wide := min(starts[first+len(band)-1]-at, len(columns))
			w.tile.Pairs(band, wide, w.limits[first:first+len(band)], w.limits[at:])
			for r := range band {
				w.note(leaf, first+r, at, r, min(starts[first+r]-at, wide))
			}
		}
	}
	w.offerWaiting(leaf)
}

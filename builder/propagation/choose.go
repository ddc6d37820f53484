package propagation

import (
	"cmp"
	"slices"

	"github.com/knng/knng/builder/lot"
)

// pick is a row that lists a place, with its lot.
type pick struct {
	lot uint64
	e   uint32
}

// choose draws some of the rows that list p: by lot, so that hubs are not joined
// around the same rows every time, and the same ones whatever order they stand
// in, new ones first.
func (j *Join) choose(p uint32, back []uint32) []uint32 {
	j.picks = j.picks[:0]
	for _, e := range back {
		lot := lot.Mix(j.seed^uint64(p)<<32^uint64(e>>1))>>1 | uint64(^e&1)<<63
		j.picks = append(j.picks, pick{lot, e})
	}
	slices.SortFunc(j.picks, func(a, b pick) int {
		return cmp.Or(cmp.Compare(a.lot, b.lot), cmp.Compare(a.e, b.e))
	})
	for i := range j.most {
		back[i] = j.picks[i].e
	}
	return back[:j.most]
}

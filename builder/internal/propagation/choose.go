package propagation

import "github.com/knng/knng/builder/internal/hashrand"

// choose draws some of the rows that list p, new ones first. It draws by hash, so that hubs are not joined
// around the same rows every time, and independent of the order of the rows.
func (j *Join) choose(p uint32, back []uint32) []uint32 {
	j.lots = j.lots[:0]
	for _, e := range back {
		drawn := hashrand.Mix(j.seed^uint64(p)<<32^uint64(e>>1)) >> 33
		j.lots = append(j.lots, uint64(^e&1)<<63|drawn<<32|uint64(e))
	}
	hashrand.Least(j.lots, j.most)
	for i := range j.most {
		back[i] = uint32(j.lots[i])
	}
	return back[:j.most]
}

package inner

import (
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Foresight is the recall that looking into cells will reach, on rows whose exact lists are known.
type Foresight struct {
	Reach  Reach
	recall []float64 // [i]: of the lists after looking into i cells
	pairs  []float64 // likewise: of a row
}

// Cells is into how many cells rows have to look for a recall, and how many pairs a row that
// takes, those with centers among them.
func (f *Foresight) Cells(recall float64) (count int, pairs float64) {
	count, _ = slices.BinarySearch(f.recall, recall)
	count = min(count, len(f.recall)-1)
	return count, f.pairs[count]
}

// reaches are those that are tried.
var reaches = []Reach{0, 0.15, 0.3, 0.5, 0.8}

// Foresee tells for a recall that is wanted, by the reach of cells that takes the fewest
// pairs. lists are the exact lists of some places.
func (c *Cells) Foresee(places []uint32, lists [][]uint32, wanted float64) *Foresight {
	var best *Foresight
	least := 0.0
	for _, reach := range reaches {
		f := c.foresee(places, lists, reach)
		if _, pairs := f.Cells(wanted); best == nil || pairs < least {
			best, least = f, pairs
		}
	}
	return best
}

func (c *Cells) foresee(places []uint32, lists [][]uint32, reach Reach) *Foresight {
	f := &Foresight{Reach: reach, recall: make([]float64, c.Len()+1), pairs: make([]float64, c.Len()+1)}
	o := c.orders(reach)
	rank := make([]int, c.Len())
	for at := 0; at < len(places); at += codes.BandRows {
		band := places[at:min(at+codes.BandRows, len(places))]
		o.band(band)
		for r := range band {
			entries := o.promises(r)
			slices.Sort(entries)
			for i, e := range entries {
				rank[uint32(e)] = i
				f.pairs[i+1] += float64(len(c.groups[uint32(e)]))
			}
			for _, p := range lists[at+r] {
				f.recall[rank[c.of[p]]+1] += 1 / float64(len(lists[at+r]))
			}
		}
	}
	var found, pairs float64
	for i := range f.recall {
		found, pairs = found+f.recall[i], pairs+f.pairs[i]
		f.recall[i], f.pairs[i] = found/float64(len(places)), pairs/float64(len(places))+float64(c.Len())
	}
	f.recall[c.Len()] = 1
	return f
}

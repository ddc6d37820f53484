package inner

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Foresight is a forecast of recall from rows with known exact lists.
type Foresight struct {
	Reach  Reach
	recall []float64 // [i]: of the lists after looking into i cells
	margin []float64 // likewise: the standard error of that recall
	pairs  []float64 // likewise: pairs of a row
}

// Cells returns the number of cells to look into for a recall, and the pairs per row, including pairs with
// centers.
func (f *Foresight) Cells(recall float64) (count int, pairs float64) {
	count, _ = slices.BinarySearch(f.recall, recall)
	count = min(count, len(f.recall)-1)
	return count, f.pairs[count]
}

// CellsOf is Cells for a wanted recall that depends on the standard error of recall.
func (f *Foresight) CellsOf(wanted func(margin float64) float64) (count int, pairs float64) {
	for count < len(f.recall)-1 && f.recall[count] < wanted(f.margin[count]) {
		count++
	}
	return count, f.pairs[count]
}

// reaches lists the values of Reach to try.
var reaches = []Reach{0, 0.15, 0.3, 0.5, 0.8}

// Foresee forecasts with the reach that takes the fewest pairs for the wanted recall. lists are the exact
// lists of places.
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
	f := &Foresight{Reach: reach, recall: make([]float64, c.Len()+1), margin: make([]float64, c.Len()+1), pairs: make([]float64, c.Len()+1)}
	o := c.orders(reach)
	rank, squares, in := make([]int, c.Len()), make([]float64, c.Len()+1), make([]float64, c.Len()+1)
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
			clear(in)
			for _, p := range lists[at+r] {
				share := 1 / float64(len(lists[at+r]))
				f.recall[rank[c.of[p]]+1] += share
				in[rank[c.of[p]]+1] += share
			}
			found := 0.0
			for i, x := range in {
				found += x
				squares[i] += float64(found * found)
			}
		}
	}
	var found, pairs float64
	for i := range f.recall {
		found, pairs = found+f.recall[i], pairs+f.pairs[i]
		n := float64(len(places))
		f.recall[i], f.pairs[i] = found/n, pairs/n+float64(c.Len())
		f.margin[i] = math.Sqrt(max(0, squares[i]/n-float64(f.recall[i]*f.recall[i])) / max(n-1, 1))
	}
	f.recall[c.Len()], f.margin[c.Len()] = 1, 0
	return f
}

// Package layer holds additions to the lists of a living store since its base was built: lists of rows that
// were put, and new entries of lists of the base, which do not change on disk. A layer is made once and not
// changed; the next one replaces it.
//
// A ref is a position of the base, or Base plus a row of the tail.
//
// Every list has a horizon, a key: it holds all entries up to it that were found when it was made, and none
// beyond. So a list that has enough entries up to the horizon after deletes is complete; otherwise the reader
// must search.
package layer

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// A Layer covers the first rows of a tail.
type Layer struct {
	Base uint32 // positions of the base
	Rows uint32 // of the tail
	Op   uint32 // it includes the operations up to here, counted as in the tail

	Lists    Lists    // whole lists of rows of the tail; new entries of lists of positions
	Anchors  []uint32 // the nearest position found for each row of the tail, or NoRef
	Controls Lists    // exact lists of a sample of rows

	links links
}

// NoRef is no ref.
const NoRef = ^uint32(0)

// Lists are lists of some refs, which ascend.
type Lists struct {
	Refs     []uint32
	Horizons []float32
	Ends     []uint32 // end of each list in To and Keys
	To       []uint32 // nearest first, lower refs first
	Keys     []float32
}

// An Entry is an entry of a list.
type Entry struct {
	To  uint32
	Key float32
}

// Compare orders entries: nearest first, then lower refs.
func Compare(a, b Entry) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.To, b.To)) }

// Inf is the horizon of a list that holds all rows.
var Inf = float32(math.Inf(1))

// Len returns the number of lists.
func (l *Lists) Len() int { return len(l.Refs) }

// At returns a list by its index.
func (l *Lists) At(i int) (to []uint32, keys []float32) {
	from := uint32(0)
	if i > 0 {
		from = l.Ends[i-1]
	}
	return l.To[from:l.Ends[i]], l.Keys[from:l.Ends[i]]
}

// Find returns the index of a ref's list.
func (l *Lists) Find(ref uint32) (i int, ok bool) { return slices.BinarySearch(l.Refs, ref) }

// Append adds a list with a higher ref than all others.
func (l *Lists) Append(ref uint32, horizon float32, list []Entry) {
	for _, e := range list {
		l.To, l.Keys = append(l.To, e.To), append(l.Keys, e.Key)
	}
	l.Refs, l.Horizons, l.Ends = append(l.Refs, ref), append(l.Horizons, horizon), append(l.Ends, uint32(len(l.To)))
}

// Fold joins a list with further entries, and keeps the most nearest live ones, each once. All others are
// beyond the horizon that it returns. list may be overwritten.
func Fold(list []Entry, horizon float32, most int, live func(ref uint32) bool) ([]Entry, float32) {
	slices.SortFunc(list, Compare)
	list = slices.Compact(list)
	list = slices.DeleteFunc(list, func(e Entry) bool { return e.Key > horizon || !live(e.To) })
	if len(list) > most {
		list = list[:most]
		horizon = min(horizon, list[most-1].Key)
	}
	return list, horizon
}

// An Offer is an entry that may come into the list of a ref.
type Offer struct {
	Ref uint32
	Entry
}

// Merge adds offers, which it sorts, to lists: those of the live refs, each with at most most entries. A new
// list begins empty, with the horizon from horizon.
func (l *Lists) Merge(offers []Offer, most int, live func(ref uint32) bool, horizon func(ref uint32) float32) Lists {
	slices.SortFunc(offers, func(a, b Offer) int { return cmp.Or(cmp.Compare(a.Ref, b.Ref), Compare(a.Entry, b.Entry)) })
	var out Lists
	var list []Entry
	for i := 0; i < l.Len() || len(offers) > 0; {
		old := i < l.Len() && (len(offers) == 0 || l.Refs[i] <= offers[0].Ref)
		var ref uint32
		var h float32
		if list = list[:0]; old {
			ref, h = l.Refs[i], l.Horizons[i]
			to, keys := l.At(i)
			for j := range to {
				list = append(list, Entry{to[j], keys[j]})
			}
			i++
		} else {
			ref = offers[0].Ref
			h = horizon(ref)
		}
		n := sort.Search(len(offers), func(j int) bool { return offers[j].Ref > ref })
		for _, o := range offers[:n] {
			list = append(list, o.Entry)
		}
		offers = offers[n:]
		if !live(ref) {
			continue
		}
		list, h = Fold(list, h, most, live)
		if len(list) > 0 || old {
			out.Append(ref, h, list)
		}
	}
	return out
}

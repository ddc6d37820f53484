package search

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/knng/knng/store/internal/walk"
)

// A walk may end far from the nearest rows, where no link leads on to nearer ones: links join the rows of a
// cluster, or of a fold of a surface, and few lead out. The results then lie further from the query than from
// one another. Such a walk looks again, at places all over the rows. With effort 48, recall and distances per
// query without and with this second look: 0.796 with 957 and 0.986 with 1,242 on 100,000 generated rows of
// 64 elements; 0.493 with 412 and 0.960 with 931 on 15,000 rows in 2,000 clusters, lists of 20; 0.730 with
// 269 and 1.000 with 454 on a folded surface. On rows spread evenly in two dimensions, where keys vary most,
// one query in 50 looks again, with 270 distances instead of 265.
//
// A query far outside of the rows has results at about equal distances. Rows anywhere may be as near, and
// more effort finds them. If the query sets no effort, it is raised as long as that finds more; likewise if
// the second look ends far away. For queries of deviation 10 in 128 dimensions, on 20,000 rows of which 19 in
// 20 have deviation 0.01, recall is 0.912 with 13,867 distances instead of 0.280 with 1,413.
const (
	astrayRank = 4    // rank of the result and of the link of the nearest that are compared
	astrayAt   = 2.5  // times the squared distance of that link: the result is far
	lostAt     = 10   // likewise: so far that a walk looks twice
	flatAt     = 1.01 // times the squared distance of the nearest: all results are about equally far
	descents   = 8    // a walk goes down from so many of the places looked at

	raisedBy     = 4  // factor by which effort is raised
	mostRaised   = 2  // how often it is raised
	rowsOfEffort = 25 // rows compared per unit of effort, about: if these are all rows, a scan costs no more
)

// lookStarts is the number of places that each further look takes, as a multiple of the root of the rows.
var lookStarts = [...]float64{1, 3}

// astray is a walker at the end of a walk, which may look again.
type astray struct{ *walker }

// A second is the state of looking again, at the end of a walk.
type second struct {
	out    bool // whether it has looked for rows that are far out
	looks  int  // looks taken; more than allowed: it is over
	raised int  // times that the effort was raised
	stood  standing
	last   walk.Entry // the last result before the effort was raised
}

// A standing describes where the results of a walk lie.
type standing struct {
	far, lost, flat bool
	nearest         walk.Entry
}

// again is called at the end of a walk in memory. If its results may not be the nearest, it lets the walk
// continue, and returns true.
func (w astray) again() (more bool, err error) {
	s := w.s
	if s.sparse || w.second.looks > len(lookStarts) || !s.space.Metric().Gathers() {
		return false, nil
	}
	before := w.second.stood.nearest
	w.second.stood = w.stands()
	if w.second.stood.lost && !w.second.out {
		w.second.out = true
		if more, err = w.lookOut(); more || err != nil {
			return more, err
		}
	}
	switch looks, now := w.second.looks, w.second.stood; {
	case !now.far:
	case !now.flat && (looks == 0 || looks < len(lookStarts) && (now.lost || now.nearest < before)):
		w.second.looks++
		return true, w.look(lookPlaces(looks, s.Len()))
	case now.flat || now.lost:
		if w.raise() {
			return true, nil
		}
	}
	w.second.looks = len(lookStarts) + 1
	return false, nil
}

// stands returns the standing of the results: it compares the key of one of the first results with that of a
// link of the nearest of the same rank.
func (w astray) stands() standing {
	s := w.s
	var room [astrayRank]walk.Entry
	few, last := room[:0], walk.Entry(0)
	for _, e := range w.found.Heap { // complements
		few, last = least(few, astrayRank, ^e), max(last, ^e)
	}
	link, rank := w.linkOf(few)
	if rank == 0 {
		return standing{}
	}
	place, norm := uint32(few[0]), 0.0
	if s.links.norms != nil {
		norm = s.links.norms[place]
	}
	key := w.keys[:1]
	w.top[0] = link
	s.space.Keys(s.rows.Row(int(place)), norm, s.base, s.stride, s.links.norms, w.top[:], key)
	w.evaluations++
	from, apart := float64(walk.KeyOf(few[rank-1])), float64(key[0])
	return standing{
		far:     from > squared(s, astrayAt)*apart,
		lost:    from > squared(s, lostAt)*apart && apart > 0, // rows that occur many times prove nothing
		flat:    float64(walk.KeyOf(last)) <= squared(s, flatAt)*float64(walk.KeyOf(few[0])),
		nearest: few[0],
	}
}

// squared converts a factor of squared distances into one of keys.
func squared(s *Searcher, x float64) float64 {
	if s.space.Metric().Squares() || s.space.NeedsNorms() {
		return x
	}
	return math.Sqrt(x)
}

// linkOf returns a link of the nearest of a few results, and its rank from 1: of its links that may be
// results, the one with the rank of the last of the few. If there are fewer, it is the last of them; under a
// filter none, with rank 0.
func (w astray) linkOf(few []walk.Entry) (link uint32, rank int) {
	s := w.s
	if len(few) == 0 {
		return 0, 0
	}
	links, some := s.links.table[4*s.links.width*int(uint32(few[0])):], w.q.filtered() || w.q.isHidden
	for at := 0; at < s.links.listed && rank < len(few); at++ {
		to := binary.LittleEndian.Uint32(links[4*at:])
		if int64(to) >= int64(s.Len()) {
			break
		}
		if !some || s.admits(&w.q, to) {
			link, rank = to, rank+1
		}
	}
	if rank < len(few) && w.q.filtered() {
		return 0, 0
	}
	return link, rank
}

// look looks at the given number of places, evenly spread, and goes down from the nearest.
func (w astray) look(places int) error {
	n := int64(w.s.Len())
	return w.lookAt(places, func(i int) uint32 { return uint32(int64(i) * n / int64(places)) })
}

// lookAt looks at places, which place returns by number, and goes down from the nearest.
func (w astray) lookAt(places int, place func(i int) uint32) error {
	s := w.s
	w.first = w.first[:0]
	for i := 0; i < places; {
		w.ids = w.ids[:0]
		for ; i < places && len(w.ids) < scanChunk; i++ {
			w.ids = append(w.ids, place(i))
		}
		w.target.keys(s, s.base, s.stride, s.links.norms, w.ids, w.keys)
		w.evaluations += int64(len(w.ids))
		for j, p := range w.ids {
			w.first = least(w.first, descents, walk.EntryOf(w.keys[j], p))
		}
	}
	for _, e := range w.first {
		if !w.visited.Has(uint32(e)) {
			if err := w.descend(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// raise continues the walk with more effort, and reports whether it does: only if the query sets no effort,
// and the last raise found more.
func (w astray) raise() bool {
	all := w.first[:0]
	for _, e := range w.found.Heap { // complements
		all = append(all, ^e)
	}
	slices.Sort(all)
	w.first = all
	k := len(all)
	if w.q.K > 0 {
		k = min(k, w.q.K)
	}
	if !w.q.usual || w.second.raised == mostRaised || w.second.raised > 0 && 10*nearer(all, w.second.last, k) < k {
		return false
	}
	w.second.raised++
	w.second.last = all[k-1]
	effort := w.q.Effort
	for range w.second.raised {
		effort *= raisedBy
	}
	if rowsOfEffort*effort >= w.s.Len() {
		w.patience = -1 // all rows are looked at
		return true
	}
	w.found.Reset(effort, w.found.Keep)
	w.open = w.open[:0]
	w.visited.Clear()
	if w.q.isHidden {
		w.visited.Add(w.q.hidden)
	}
	for _, e := range all {
		w.enter(e)
	}
	return true
}

// nearer returns how many of the k nearest were not among them before, when last was the last of them.
func nearer(all []walk.Entry, last walk.Entry, k int) int {
	at, found := slices.BinarySearch(all, last)
	if found {
		at++
	}
	return max(0, at-k)
}

package search

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/knng/knng/store/internal/walk"
)

// A walk may end where no link leads on to nearer rows, far from the nearest: links join the rows of a cluster, or of a fold of
// a surface, and few lead out. The results then lie further from the query than from one another. Such a walk looks again, from places all
// over the rows. By effort 48 and distances a query, before and after: of 100,000 generated rows of 64 elements
// it finds 0.796 by 957 and 0.986 by 1,242; of 15,000 rows in 2,000 clusters, lists of 20, 0.493 by 412 and 0.960 by 931; of a folded
// surface 0.730 by 269 and 1.000 by 454. Of rows even in two dimensions, where keys vary most, one query in 50 looks again, and
// distances are 270 in place of 265.
//
// A query that lies far outside has results that are about equally far. Others may be as near, in any place, and effort finds them.
// Where the query asks for none it is raised, as long as that finds more, and so it is where the second look ends far away. For queries of deviation 10 in 128 dimensions beside 20,000
// rows of which 19 in 20 have deviation 0.01 that finds 0.912 by 13,867 distances, in place of 0.280 by 1,413.
const (
	astrayRank = 4    // the numbers of the result and of the link of the nearest that are compared
	astrayAt   = 2.5  // times the squared distance of that link: the result is far
	lostAt     = 10   // times it: so far that a walk looks twice
	flatAt     = 1.01 // times the squared distance of the nearest: all results are about equally far
	descents   = 8    // a walk goes down from so many of the places looked at

	raisedBy     = 4  // times an effort
	mostRaised   = 2  // so often
	rowsOfEffort = 25 // compared for each of an effort, about: where these are all, a scan costs no more
)

// lookStarts is how many places a walk looks at each time that it looks again, in roots of the rows.
var lookStarts = [...]float64{1, 3}

// A second is the state of looking again, at the end of a walk.
type second struct {
	out    bool // it has looked at the rows that are far out, if the query is
	looks  int  // taken; more than there may be: it is over
	raised int  // times that the effort was
	stood  standing
	last   walk.Entry // of the results before the effort was raised
}

// A standing says how the results of a walk lie.
type standing struct {
	far, lost, flat bool
	nearest         walk.Entry
}

// again is asked at the end of a walk that memory holds. Where its results may not be the nearest it has the walk go on, and reports that.
func (w *walker) again() (more bool, err error) {
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

// stands tells how the results lie: it compares the key of one of the first with that of as early a link of the nearest.
func (w *walker) stands() standing {
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
		lost:    from > squared(s, lostAt)*apart && apart > 0, // rows that stand many times tell nothing
		flat:    float64(walk.KeyOf(last)) <= squared(s, flatAt)*float64(walk.KeyOf(few[0])),
		nearest: few[0],
	}
}

// squared is a factor of keys, from one of squared distances.
func squared(s *Searcher, x float64) float64 {
	if s.space.Metric().Squares() || s.space.NeedsNorms() {
		return x
	}
	return math.Sqrt(x)
}

// linkOf is the link of the nearest of a few results that comes as late among links that may be results as the last of the few,
// and its rank from 1. Where there are not as many it is the last of these, and under a filter none, of rank 0.
func (w *walker) linkOf(few []walk.Entry) (link uint32, rank int) {
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

// look looks at so many places all over the rows, and goes down from the nearest.
func (w *walker) look(places int) error {
	n := int64(w.s.Len())
	return w.lookAt(places, func(i int) uint32 { return uint32(int64(i) * n / int64(places)) })
}

// lookAt looks at so many places, of which it is told each by its number, and goes down from the nearest.
func (w *walker) lookAt(places int, place func(i int) uint32) error {
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

// raise begins the walk again where it has come to, with more effort, and reports whether it does: where the query asks for none, and
// the last time found more.
func (w *walker) raise() bool {
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
		w.patience = -1 // so that all rows are looked at
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

// nearer is how many of the k nearest were not among the k nearest before, of which last was the last.
func nearer(all []walk.Entry, last walk.Entry, k int) int {
	at, found := slices.BinarySearch(all, last)
	if found {
		at++
	}
	return max(0, at-k)
}

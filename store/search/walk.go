package search

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/walk"
	"github.com/knng/knng/vectors"
)

// A walk begins at so many of the nearest leaders, and at the nearest of so many islands.
const (
	entries = 4
	islands = 8
)

// A walker answers one query at a time, and keeps its memory for the next.
type walker struct {
	s        *Searcher
	target   target
	q        Query
	limit    walk.Entry // of Within
	visited  walk.Visited
	open     walk.Heap // places known and not followed
	found    walk.Nearest
	spare    walk.Heap    // leaders at which it did not begin; a heap after the first use
	first    []walk.Entry // the nearest leaders
	islands  []walk.Entry // the nearest of each of the nearest islands
	enough   bool         // results were found
	patience int64        // evaluations after which it ends
	second   second
	begun    int // leaders at which it began after links had come to an end
	alike    alike
	ids      []uint32
	keys     []float32
	top      [1]uint32
	byCodes  byCodes
	read     stretches
	plain    []float32 // the query

	evaluations, estimates, hops, scans, reads int64
	run                                        func() error // w.answer, stored because a closure would be allocated for each query
}

func newWalker(s *Searcher) *walker {
	w := &walker{s: s, ids: make([]uint32, 0, scanChunk), keys: make([]float32, max(scanChunk, len(s.links.leaders)))}
	w.run = w.answer
	return w
}

// begin starts a query, which was checked.
func (w *walker) begin(query []float32, q Query) error {
	w.evaluations, w.estimates, w.hops, w.scans, w.reads = 0, 0, 0, 0, 0
	w.q, w.limit = q, w.s.limit(&q)
	w.byCodes.on = w.s.coded != nil && !q.Exact && q.K > 0
	return w.target.set(w.s, query, q.form)
}

// Search returns the rows nearest to a query, nearest first, equally near rows by number. It is Append to a
// new slice.
func (s *Searcher) Search(query []float32, q Query) ([]store.Neighbor, error) {
	return s.Append(nil, query, q)
}

// Append appends the results of Search to dst. If dst has room, it allocates nothing after the first queries.
// There are min(q.K, n) results, with n rows that may be results, or fewer if q.Within excludes some. Errors:
// ErrQuery, ErrCorrupt, store.ErrClosed, vectors.ErrFault.
func (s *Searcher) Append(dst []store.Neighbor, query []float32, q Query) ([]store.Neighbor, error) {
	if !s.calls.Enter() {
		return dst, store.ErrClosed
	}
	defer s.calls.Leave()
	if err := s.check(&q); err != nil {
		return dst, err
	}
	w := s.take()
	defer s.give(w)
	if err := w.begin(query, q); err != nil {
		return dst, err
	}
	if err := vectors.Guard(w.run); err != nil {
		return dst, fmt.Errorf("%s: %w", s.g.Dir(), err)
	}
	return w.append(dst)
}

// answer puts the results into w.found, as entries of rows.
func (w *walker) answer() error {
	if w.q.Exact || w.few() {
		w.s.scan(w)
		return nil
	}
	if err := w.walk(); err != nil {
		return err
	}
	w.arrive()
	return nil
}

// arrive ends a walk.
func (w *walker) arrive() {
	if !w.enough || w.alike.doubt(w) {
		w.s.scan(w)
		return
	}
	if w.byCodes.on {
		w.exact()
		return
	}
	for i, e := range w.found.Heap { // complements
		w.found.Heap[i] = ^(^e>>32<<32 | uint64(w.s.order[uint32(^e)]))
	}
}

// append shows the results. It returns ErrQuery if distances exceed float32, so that they cannot be
// distinguished.
func (w *walker) append(dst []store.Neighbor) ([]store.Neighbor, error) {
	found := w.found.Sorted()
	if w.q.K > 0 {
		found = found[:min(w.q.K, len(found))]
	}
	before := len(dst)
	for _, e := range found {
		if e>>32 > w.limit>>32 {
			break
		}
		if key := walk.KeyOf(e); key-key != 0 {
			return dst[:before], fmt.Errorf("%w: its distances are beyond float32", ErrQuery)
		}
		dst = append(dst, store.Neighbor{Row: store.Row(uint32(e)), Distance: w.s.g.Shown(walk.KeyOf(e))})
	}
	return dst, nil
}

// few reports whether a set has so few rows that comparing with each is less work than a walk, which meets
// each only with the probability of its share.
func (w *walker) few() bool {
	if w.q.Only == nil {
		return false
	}
	m := float64(len(w.q.Only.places))
	return m <= minScan || m*m <= float64(costOf(w))*float64(w.s.Len())
}

// minScan is a number of rows that can be compared in the time of a walk.
const minScan = 2048

// costOf is about the evaluations of a walk.
func costOf(w *walker) int { return 200 + 20*w.q.Effort + w.s.Leaders() }

// patienceOf returns the evaluations that a walk with a filter may spend before all rows are looked at.
func (w *walker) patienceOf() int64 {
	if !w.q.filtered() {
		return math.MaxInt64
	}
	return int64(max(4*costOf(w), w.s.Len()/8))
}

// spent returns how much of its patience a walk has used.
func (w *walker) spent() int64 {
	if w.byCodes.on { // each hop reads a page; a scan compares many rows in that time
		return pageRows * w.hops
	}
	return w.evaluations
}

// walk goes from place to place, always from the nearest known. It has found enough if it has as many results
// as the effort, and no nearer place is left to follow.
func (w *walker) walk() error {
	if err := w.depart(); err != nil {
		return err
	}
	for {
		place, more, err := w.next()
		if err != nil || !more {
			return err
		}
		if _, err := w.hop(place); err != nil {
			return err
		}
	}
}

// depart begins a walk.
func (w *walker) depart() error {
	keep := walk.Entry(0)
	if w.q.K == 0 {
		keep = w.limit
	}
	w.found.Reset(w.q.Effort, keep)
	w.alike = alike{nearest: math.MaxUint64}
	w.second = second{}
	w.visited.Clear()
	if w.s.sparse && !w.byCodes.on {
		w.read.clear()
	}
	w.open = w.open[:0]
	if w.q.isHidden {
		w.visited.Add(w.q.hidden)
	}
	if w.byCodes.on {
		w.prepare()
	}
	if err := w.lead(); err != nil {
		return err
	}
	w.patience = w.patienceOf()
	return nil
}

// next returns the place to follow next. There is none at the end of a walk: it has found enough, or links
// came to an end, or hardly any rows pass the filter.
func (w *walker) next() (place uint32, more bool, err error) {
	for {
		w.enough = false
		if w.spent() > w.patience {
			return 0, false, nil
		}
		if len(w.open) == 0 && !w.restart() {
			return 0, false, nil
		}
		e := w.open.Pop()
		if w.enough = e > w.found.Bound(); w.enough {
			if more, err = (astray{w}).again(); !more || err != nil {
				return 0, false, err
			}
		} else if w.s.sparse || !w.crowded(e) {
			return uint32(e), true, nil
		}
	}
}

// lead looks at all leaders and begins at the nearest.
func (w *walker) lead() error {
	if w.byCodes.on {
		w.start()
		return nil
	}
	s := w.s
	keys := w.leaderKeys()
	w.spare, w.begun = w.spare[:0], 0
	w.first, w.islands = w.first[:0], w.islands[:0]
	island, best := uint32(noLink), walk.Entry(math.MaxUint64) // the nearest of the island
	for i, key := range keys {
		l := s.links.leaders[i]
		e := walk.EntryOf(key, l.place)
		if w.q.isHidden && l.place == w.q.hidden {
			if e = w.standIn(i); e == math.MaxUint64 {
				continue
			}
		}
		w.spare = append(w.spare, e)
		w.first = least(w.first, entries, e)
		if l.island != island {
			if best < math.MaxUint64 {
				w.islands = least(w.islands, islands, best)
			}
			island, best = l.island, e
		}
		best = min(best, e)
	}
	for _, e := range w.first {
		w.enter(e)
	}
	w.enterStarts()
	if best < math.MaxUint64 {
		w.islands = least(w.islands, islands, best)
	}
	if len(w.islands) == 1 {
		return nil
	}
	for _, e := range w.islands {
		if len(s.starts.places) > 0 { // some of them are in all islands but the smallest, and each step down is many reads
			w.enter(e)
		} else if err := w.descend(e); err != nil {
			return err
		}
	}
	return nil
}

// standInSteps is the number of links from a hidden leader of an island to the row that replaces it.
const standInSteps = 3

// standIn returns the entry of a row that leads an island in place of a hidden leader, as another would
// without that row. It is some links away, so that it is not one of the nearest rows. The entry is the
// largest if the island has another leader, or no other row.
func (w *walker) standIn(i int) walk.Entry {
	s, all := w.s, w.s.links.leaders
	if i > 0 && all[i-1].island == all[i].island || i+1 < len(all) && all[i+1].island == all[i].island {
		return math.MaxUint64
	}
	place := all[i].place
	for range standInSteps {
		links := s.links.table[4*s.links.width*int(place):][:4*s.links.width]
		for ; len(links) > 0; links = links[:len(links)-4] { // the last is about the furthest
			if to := binary.LittleEndian.Uint32(links[len(links)-4:]); int64(to) < int64(s.Len()) && to != w.q.hidden {
				place = to
				break
			}
		}
	}
	if place == w.q.hidden {
		return math.MaxUint64
	}
	w.top[0] = place
	var key [1]float32
	w.target.keys(s, s.base, s.stride, s.links.norms, w.top[:], key[:])
	w.evaluations++
	return walk.EntryOf(key[0], place)
}

// leaderKeys returns the keys of the leaders.
func (w *walker) leaderKeys() []float32 {
	s := w.s
	keys := w.keys[:len(s.leaderIDs)]
	w.target.keys(s, s.leaders, len(s.leaders)/max(1, len(s.leaderIDs)), s.leaderNorms, s.leaderIDs, keys)
	w.evaluations += int64(len(keys))
	return keys
}

// descend goes to the nearest linked place until nothing is nearer. If one island has enough rows near the
// query, the leader of another may be further away than all of them, although rows near that leader are not.
func (w *walker) descend(e walk.Entry) error {
	w.enter(e)
	for {
		nearest, err := w.hop(uint32(e))
		if err != nil || nearest >= e {
			return err
		}
		e = nearest
	}
}

// least inserts an entry into the least few, in order.
func least(few []walk.Entry, room int, e walk.Entry) []walk.Entry {
	if len(few) < room {
		few = append(few, e)
	} else if e >= few[room-1] {
		return few
	}
	at := len(few) - 1
	for ; at > 0 && few[at-1] > e; at-- {
		few[at] = few[at-1]
	}
	few[at] = e
	return few
}

// enter begins at a leader.
func (w *walker) enter(e walk.Entry) {
	if w.byCodes.on && w.byCodes.blocks.Has(uint32(e)/blockPlaces) {
		return // it was looked at with its block
	}
	if w.visited.Add(uint32(e)) {
		w.open.Push(e)
		w.offer(e)
		if w.q.Seen != nil && !w.byCodes.on {
			w.q.Seen(store.Row(w.s.order[uint32(e)]), walk.KeyOf(e))
		}
	}
}

// restart begins at further leaders when a walk has come to the end of all links, and reports whether there
// was one.
func (w *walker) restart() bool {
	if w.begun == 0 { // few are needed: sorting all would cost more than the rest of a walk
		heap := w.spare[:0]
		for _, e := range w.spare {
			heap.Push(e)
		}
	}
	for len(w.spare) > 0 && len(w.open) == 0 {
		w.enter(w.spare.Pop())
		w.begun++
	}
	return len(w.open) > 0
}

// hop follows the links of a place, and returns the nearest of the places that were not known.
func (w *walker) hop(place uint32) (nearest walk.Entry, err error) {
	if err := w.follow(place); err != nil {
		return 0, err
	}
	if len(w.open) > 0 {
		w.expect(uint32(w.open[0])) // probably the next
	}
	return w.compare(), nil
}

// expect prefetches the links of a place.
func (w *walker) expect(place uint32) {
	l := w.s.links
	w.top[0] = place
	w.s.space.PrefetchBytes(l.table, 4*l.width, w.top[:], 4*l.width)
}

// follow finds the unknown places that a place is linked to, and requests their rows.
func (w *walker) follow(place uint32) error {
	s := w.s
	w.hops++
	if s.sparse && !w.byCodes.on {
		w.askLinks(place)
	}
	width := 4 * s.links.width
	w.ids = w.visited.AddAll(s.links.table[width*int(place):][:width], w.ids[:0])
	for _, to := range w.ids {
		if int64(to) >= int64(len(s.order)) {
			return &store.AdvisedError{
				Err:    fmt.Errorf("%w: a link of place %d leads to %d of %d", ErrCorrupt, place, to, len(s.order)),
				Advice: fmt.Sprintf("; delete %s, and they are made again", Path(s.g.Dir())),
			}
		}
	}
	if w.byCodes.on {
		w.followed(place)
		return nil
	}
	if s.sparse {
		w.ids = w.ask(w.ids)
		w.keys = sized(w.keys, max(cap(w.keys), len(w.ids)))
		w.askNext()
	}
	s.space.Prefetch(s.base, s.stride, w.ids)
	return nil
}

// compare compares the query with the places that follow found, and returns the nearest, except by codes.
func (w *walker) compare() (nearest walk.Entry) {
	if w.byCodes.on {
		w.estimate()
		return math.MaxUint64
	}
	s := w.s
	w.target.keys(s, s.base, s.stride, s.links.norms, w.ids, w.keys)
	w.evaluations += int64(len(w.ids))
	if w.q.Seen != nil {
		w.tell(w.ids)
	}
	nearest = math.MaxUint64
	for i, id := range w.ids {
		e := walk.EntryOf(w.keys[i], id)
		nearest = min(nearest, e)
		if e < w.found.Bound() {
			w.open.Push(e)
			w.offer(e)
		}
	}
	return nearest
}

// tell reports places whose keys were computed to the query.
func (w *walker) tell(places []uint32) {
	for i, p := range places {
		w.q.Seen(store.Row(w.s.order[p]), w.keys[i])
	}
}

// offer makes a place a result if it may be one, and reports that.
func (w *walker) offer(e walk.Entry) bool {
	if w.q.filtered() && !w.s.admits(&w.q, uint32(e)) {
		return false
	}
	w.found.Offer(e)
	if w.byCodes.on {
		w.byCodes.kept.Offer(e)
	}
	return true
}

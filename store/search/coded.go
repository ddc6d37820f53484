package search

import (
	"math"

	"github.com/knng/knng/store/internal/walk"
	"github.com/knng/knng/store/search/internal/product"
)

// A walk by codes reads a page for the links of each place that it follows, and one for each row that it
// compares at the end. Codes need no reads, so it looks at many: at the start, and at all places next to a
// followed one, whose rows lie near, and next to possible results. On 200,000 SIFT descriptors the places
// next to followed ones raise recall from 0.947 to 0.962 at effort 32, with the same 55 reads. On 500,000
// generated rows a walk at effort 10 has met 0.971 of the nearest rows; with the places next to the 256
// nearest it is 0.992, for 30,000 codes instead of 25,000.

const (
	blockPlaces = 128 // consecutive places whose codes are looked at together
	besides     = 1   // blocks before and after that of a followed place or a possible result
	pageRows    = 320 // rows that can be read sequentially in the time of a random page
	nearStarts  = 64  // starts of a walk, at least;
	startsShare = 8   // the root of all rows divided by this, if that is more
	mostWanted  = 4   // times K: so many of the nearest by codes are kept for the end,
	leastKept   = 256 // but at least this number
)

// byCodes is the state of a walker that uses codes.
type byCodes struct {
	on     bool
	table  []float32    // of the query
	runs   []float32    // squared distances from the query to the means of runs
	kept   walk.Nearest // possible results, by estimates
	likely []walk.Entry // the same at the end, nearest first
	near   []walk.Entry // possible results whose neighboring places were not looked at yet
	blocks walk.Visited // blocks whose codes were looked at
	pages  walk.Visited // pages of links that were read
	rows   rowPages
	place  uint32 // the last followed place
}

// prepare begins a walk by codes.
func (w *walker) prepare() {
	s, b := w.s, &w.byCodes
	values := astray{w}.elements()
	b.table = sized(b.table, s.coded.TableSize())
	kind := s.coded.kind
	if r := s.coded.runs; r != nil {
		b.runs, kind = sized(b.runs, len(r.centers)/r.dim), product.Twice
		r.distances(values, b.runs)
	}
	s.coded.Table(kind, values, b.table)
	if s.space.NeedsNorms() { // the squared distance of directions is 2(1 - cosine)
		halve(b.table)
		halve(b.runs)
	}
	b.kept.Reset(max(2*w.q.Effort, mostWanted*w.q.K, leastKept), 0)
	b.near = b.near[:0]
	b.blocks.Clear()
	b.pages.Clear()
}

// startsNear returns how many of the possible starts a walk begins at. Rows near the query that are elsewhere
// in the order than these are found only through links, each of which is a read. On 20,000,000 generated
// rows, with 200 queries, effort 16 and 48 to 51 reads, 64 starts find 0.909, 256 find 0.928, 512 find 0.941,
// 1,024 find 0.954 and 2,048 find 0.961, by looking at the codes of 120,000 to 750,000 rows.
func startsNear(n int) int { return max(nearStarts, int(math.Sqrt(float64(n))/startsShare)) }

func halve(x []float32) {
	for i := range x {
		x[i] /= 2
	}
}

// addRuns adds the shares of runs to the estimates of places.
func (b *byCodes) addRuns(c *coded, places []uint32, keys []float32) {
	if c.runs == nil {
		return
	}
	for i, p := range places {
		keys[i] += b.runs[int(p)/c.runs.size]
	}
}

// start begins at the nearest of the starts, whose codes are in a separate array and which include the
// leaders, and looks at all places next to these. It reads nothing, so a walk needs no steps to the region of
// the query, nor down every island.
func (w *walker) start() {
	s, c := w.s, w.s.coded
	w.keys = sized(w.keys, max(len(c.starts), cap(w.keys)))
	keys := w.keys[:len(c.starts)]
	c.All(w.byCodes.table, c.near, keys)
	w.byCodes.addRuns(c, c.starts, keys)
	w.estimates += int64(len(keys))
	w.spare, w.begun, w.first = w.spare[:0], 0, w.first[:0]
	most := startsNear(s.Len())
	for i, key := range keys {
		if w.q.isHidden && c.starts[i] == w.q.hidden {
			continue
		}
		e := walk.EntryOf(key, c.starts[i])
		w.first = least(w.first, most, e)
		if i < len(s.links.leaders) {
			w.spare = append(w.spare, e)
		}
	}
	for _, e := range w.first {
		w.enter(e)
		w.estimateBeside(uint32(e))
	}
	for _, e := range w.spare {
		w.enter(e)
	}
	w.estimateNear()
}

// followed is follow for a walk by codes: the place and its links remain to be estimated.
func (w *walker) followed(place uint32) {
	b := &w.byCodes
	b.place = place
	if b.pages.Add(uint32((headerBytes + 4*w.s.links.width*int(place)) >> pageShift)) {
		w.reads++
	}
	w.askNext()
	fresh := w.ids[:0]
	for _, to := range w.ids {
		if !b.blocks.Has(to / blockPlaces) {
			fresh = append(fresh, to)
		}
	}
	w.ids = fresh
}

// estimate estimates the distances of the places that followed left, of all places next to the followed one,
// and of those next to possible results.
func (w *walker) estimate() {
	s, b := w.s, &w.byCodes
	s.coded.Keys(b.table, s.coded.codes, w.ids, w.keys)
	b.addRuns(s.coded, w.ids, w.keys)
	w.estimates += int64(len(w.ids))
	for i, id := range w.ids {
		w.take(walk.EntryOf(w.keys[i], id))
	}
	w.estimateBeside(b.place)
	w.estimateNear()
}

// estimateNear looks at the places next to possible results, until this was done for all of them.
func (w *walker) estimateNear() {
	b := &w.byCodes
	for len(b.near) > 0 {
		e := b.near[len(b.near)-1]
		if b.near = b.near[:len(b.near)-1]; e <= b.kept.Bound() {
			w.estimateBeside(uint32(e))
		}
	}
}

// estimateBeside looks at the places next to one.
func (w *walker) estimateBeside(place uint32) {
	block := place / blockPlaces
	for i := max(block, besides) - besides; i <= block+besides; i++ {
		if from := int(i) * blockPlaces; from < len(w.s.order) && w.byCodes.blocks.Add(i) {
			w.estimateBlock(from, min(from+blockPlaces, len(w.s.order)))
		}
	}
}

// take adds a place to those to follow and to the results, if it is near enough.
func (w *walker) take(e walk.Entry) {
	b := &w.byCodes
	if e < w.found.Bound() {
		w.open.Push(e)
	}
	if e < b.kept.Bound() && w.offer(e) {
		b.near = append(b.near, e)
	}
}

// estimateBlock looks at consecutive places.
func (w *walker) estimateBlock(from, to int) {
	c, keys := w.s.coded, w.keys[:to-from]
	c.All(w.byCodes.table, c.codes[from*c.Bytes():to*c.Bytes()], keys)
	w.estimates += int64(len(keys))
	run := float32(0)
	if c.runs != nil {
		run = w.byCodes.runs[from/c.runs.size]
	}
	for i, key := range keys {
		e := walk.EntryOf(key+run, uint32(from+i))
		if e < w.byCodes.kept.Bound() && !w.visited.Has(uint32(from+i)) {
			w.take(e)
		}
	}
}

// exact finds the results among the kept places, from their rows. It reads the nearest first: the errors of
// their estimates show which of the others may be results.
func (w *walker) exact() {
	b := &w.byCodes
	b.likely = append(b.likely[:0], b.kept.Sorted()...)
	b.rows.clear()
	w.found.Reset(w.q.K, 0)
	off := errorsOf{deviations: deviations(w.q.Effort, w.q.K)}
	end := min(len(b.likely), w.q.K+w.q.K/2)
	if w.q.Seen != nil {
		end = min(len(b.likely), max(end, w.q.Effort))
	}
	for at := 0; at < end; {
		w.compareRows(b.likely[at:end], &off)
		for at = end; end < len(b.likely) && off.mayReach(walk.KeyOf(b.likely[end]), w.found.Bound()); {
			end++
		}
	}
}

// compareRows compares the rows of places, and all others that are read with them, with the query, and adds
// them to the results.
func (w *walker) compareRows(entries []walk.Entry, off *errorsOf) {
	r := &w.byCodes.rows
	for ; len(entries) > 0; entries = entries[min(scanChunk, len(entries)):] {
		some := entries[:min(scanChunk, len(entries))]
		estimated := some[:0]
		w.ids = w.ids[:0]
		for _, e := range some {
			if r.compared.Add(uint32(e)) {
				estimated, w.ids = append(estimated, e), append(w.ids, uint32(e))
			}
		}
		w.readRows(w.ids)
		w.compareExactly(w.ids)
		for i, e := range estimated {
			off.add(float64(w.keys[i]) - float64(walk.KeyOf(e)))
		}
		for others := r.others; len(others) > 0; others = others[min(scanChunk, len(others)):] {
			w.compareExactly(others[:min(scanChunk, len(others))])
		}
	}
}

// compareExactly compares the rows of places with the query, and adds those that may be results.
func (w *walker) compareExactly(places []uint32) {
	s := w.s
	w.target.keys(s, s.base, s.stride, s.links.norms, places, w.keys)
	w.evaluations += int64(len(places))
	if w.q.Seen != nil {
		w.tell(places)
	}
	for i, p := range places {
		e := walk.EntryOf(w.keys[i], s.order[p])
		if e < w.found.Bound() && s.admits(&w.q, p) {
			w.found.Offer(e)
		}
	}
}

// errorsOf holds by how much the distances of rows exceed their estimates.
type errorsOf struct {
	n, sum, squares float64
	deviations      float64 // a row may be nearer than its estimate by so many deviations
}

// deviations grows with the effort: if a walk reads many links, some more rows cost little. On 500,000
// generated rows at effort 10, a quarter of a deviation more takes 5 reads and finds 0.015 more of the
// nearest; following 6 more places takes as many reads and finds 0.007.
func deviations(effort, k int) float64 {
	return 1.6 + 0.35*math.Log2(max(1, float64(effort)/float64(max(k, 10))))
}

func (o *errorsOf) add(d float64) {
	o.n++
	o.sum += d
	o.squares += d * d
}

// mayReach reports whether a row with this estimate may be within a bound.
func (o *errorsOf) mayReach(key float32, bound walk.Entry) bool {
	if bound == math.MaxUint64 {
		return true
	}
	mean := o.sum / o.n
	deviation := math.Sqrt(max(0, o.squares/o.n-mean*mean))
	return float64(key)+mean-o.deviations*deviation <= float64(walk.KeyOf(bound))
}

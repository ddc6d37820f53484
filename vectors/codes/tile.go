package codes

import (
	"slices"
	"unsafe"

	"github.com/knng/knng/vectors/internal/simd"
)

// BandRows is how many rows a tile compares with its columns at a time.
const BandRows = 16

// Tile compares rows with a set of columns, BandRows of them at a time:
//
//	t.Columns(places, nil)
//	for first := 0; first < len(places); first += codes.BandRows {
//		rows := t.Band(first, len(places), len(places))
//		t.Select(bounds[:rows])
//		distances, ids := t.Near(0) // of places[first]
//	}
//
// It holds buffers that grow to the largest set of columns.
type Tile struct {
	m       *Matrix
	kernel  *simd.Codes // of the columns: that of m, or its narrow one
	places  []uint32    // of the columns, where the kernel is the narrow one
	panels  []byte
	columns []*byte  // rows of the matrix
	norms   []uint32 // of the columns
	own     []uint32 // added where a column serves as a row
	ids     []uint32

	rows   int // in the band
	band   [BandRows]*byte
	adds   [BandRows]uint32
	bounds [BandRows]uint32
	counts [BandRows]uint32
	wide   int     // columns compared in the band
	ld     int     // from one row of sums to the next
	sums   []int32 // BandRows*ld
	d      []uint32
	near   []uint32
	packed [16]*byte
	room   []byte // of the kernel

	marks   []uint64 // of columns that are near, words for each row of the band
	words   int
	either  []uint32 // bounds of the columns
	numbers []uint32 // of the columns: 0, 1, ...
}

// NewTile returns a tile over the rows of m.
func (m *Matrix) NewTile() *Tile {
	return &Tile{m: m, kernel: m.kernel, room: aligned(m.kernel.RoomBytes(m.groups))}
}

// Columns makes the rows at places the columns. ids name them in the results of
// Within; nil stands for the places themselves.
func (t *Tile) Columns(places, ids []uint32) {
	panels := (len(places) + 15) / 16
	t.grow(panels)
	if ids == nil {
		ids = places
	}
	copy(t.ids, ids)
	for i, p := range places {
		s := t.m.sums[p]
		t.columns[i], t.norms[i], t.own[i] = t.m.at(p), s.norm, s.add
	}
	for i := len(places); i < 16*panels; i++ {
		t.columns[i] = t.columns[0] // what fills a panel does not matter
	}
	t.kernel = t.m.kernel
	t.beNarrow(places)
	t.pack(panels)
}

func (t *Tile) pack(panels int) {
	size := t.kernel.PanelBytes(t.m.groups)
	for p := range panels {
		copy(t.packed[:], t.columns[16*p:])
		t.kernel.Pack(&t.packed, t.m.groups, t.panels[p*size:(p+1)*size])
	}
}

// beNarrow takes the narrow kernel if all columns are narrow.
func (t *Tile) beNarrow(places []uint32) {
	n := t.m.narrow
	if n == nil || n.anyBeyond(places) {
		return
	}
	t.kernel, t.places = n.kernel, append(t.places[:0], places...)
	for i, p := range places {
		t.norms[i] -= n.less[p]
	}
}

// beWide takes the kernel of all codes again, for rows that are not narrow.
func (t *Tile) beWide() {
	for i, p := range t.places {
		t.norms[i] += t.m.narrow.less[p]
	}
	t.kernel = t.m.kernel
	t.pack((len(t.places) + 15) / 16)
}

func (t *Tile) grow(panels int) {
	if 16*panels <= t.ld {
		return
	}
	panels += panels / 2
	t.ld = 16 * panels
	t.panels = aligned(panels * t.m.kernel.PanelBytes(t.m.groups))
	t.columns = make([]*byte, t.ld)
	t.norms, t.own, t.ids = make([]uint32, t.ld), make([]uint32, t.ld), make([]uint32, t.ld)
	t.sums = make([]int32, BandRows*t.ld)
	t.words = (t.ld + 63) / 64
	t.marks, t.numbers = make([]uint64, BandRows*t.words), numbers(t.ld)
	// The kernels write up to one vector beyond the results.
	t.d, t.near = make([]uint32, BandRows*(t.ld+16)), make([]uint32, BandRows*(t.ld+16))
}

// Rows compares at most BandRows rows with the first wide columns.
func (t *Tile) Rows(places []uint32, wide int) { t.RowsOf(t.m, places, wide) }

// RowsOf compares rows of another matrix, of codes by the same rounding.
func (t *Tile) RowsOf(m *Matrix, places []uint32, wide int) {
	t.enter(m, places)
	t.compare(len(places), wide)
}

func (t *Tile) enter(m *Matrix, places []uint32) {
	if t.kernel != t.m.kernel && (m != t.m || m.narrow.anyBeyond(places)) {
		t.beWide()
	}
	for r, p := range places {
		t.band[r], t.adds[r] = m.at(p), m.sums[p].add
	}
}

// Band compares columns first to first+BandRows-1, as far as there are so many
// before last, with the first wide columns, and returns how many there are.
func (t *Tile) Band(first, last, wide int) int {
	n := min(BandRows, last-first)
	copy(t.band[:n], t.columns[first:])
	copy(t.adds[:n], t.own[first:])
	t.compare(n, wide)
	return n
}

func (t *Tile) compare(rows, wide int) {
	panels := t.begin(rows, wide)
	t.kernel.Dots(&t.band, rows, t.m.groups, panels, t.sums, t.ld, t.room)
}

// begin has kernels find rows for the whole band, and returns the panels of the columns.
func (t *Tile) begin(rows, wide int) (panels []byte) {
	t.rows, t.wide = rows, wide
	for r := rows; r < BandRows; r++ {
		t.band[r] = t.band[0]
	}
	return t.panels[:(wide+15)/16*t.kernel.PanelBytes(t.m.groups)]
}

// Select finds, for every row of the band, the columns whose distance is at most
// the row's bound; Near returns them.
func (t *Tile) Select(bounds []uint32) {
	copy(t.bounds[:], bounds[:t.rows])
	t.m.kernel.Nearer(t.wide, t.sums, t.ld, t.norms, t.adds[:], t.bounds[:], t.ids, t.d, t.near, t.ld+16, t.counts[:t.rows])
}

// Near returns the columns selected for row r, in their order. The slices are
// valid until the next selection.
func (t *Tile) Near(r int) (distances, ids []uint32) {
	at, n := r*(t.ld+16), int(t.counts[r])
	return t.d[at : at+n], t.near[at : at+n]
}

// Within is Select and Near for one row.
func (t *Tile) Within(r int, bound uint32) (distances, ids []uint32) {
	at := r * (t.ld + 16)
	t.bounds[r] = bound
	t.m.kernel.Nearer(t.wide, t.of(r), t.ld, t.norms, t.adds[r:], t.bounds[r:], t.ids, t.d[at:], t.near[at:], t.ld+16, t.counts[r:r+1])
	return t.Near(r)
}

// Pairs compares at most BandRows rows with the first wide columns, as Rows does, for
// Marked to tell which are near: those whose distance is at most bounds[r] of the row or
// either[j] of the column. either has room for a multiple of 16, and stays as it is
// until all rows have been asked for.
func (t *Tile) Pairs(places []uint32, wide int, bounds, either []uint32) {
	t.enter(t.m, places)
	copy(t.bounds[:], bounds)
	t.either = either
	if t.kernel.Pairs == nil {
		t.compare(len(places), wide)
		return
	}
	panels := t.begin(len(places), wide)
	t.kernel.Pairs(&t.band, len(places), t.m.groups, panels, t.norms, t.adds[:], t.bounds[:], either, t.distances(), t.ld, t.marks, t.words, t.room)
}

// Marked lists the near ones among the first wide columns of row r of the band, by number, and
// tells the distances of those, of all wide columns by number. It may be asked once for every
// row. The slices are valid until the next band.
func (t *Tile) Marked(r, wide int) (near, distances []uint32) {
	at := r * (t.ld + 16)
	near, distances = t.near[at:at+t.ld+16], t.distances()[r*t.ld:][:wide]
	if t.kernel.Pairs == nil {
		d := t.d[at : at+t.ld+16]
		n := t.m.kernel.Either(t.of(r)[:wide], t.norms, t.adds[r], t.bounds[r], t.either, t.numbers, d, near)
		for i, j := range near[:n] {
			distances[j] = d[i]
		}
		return near[:n], distances
	}
	marks := t.marks[r*t.words:][:(wide+63)/64]
	if last := wide % 64; last > 0 {
		marks[len(marks)-1] &= 1<<last - 1
	}
	return near[:t.m.kernel.Bits(marks, near)], distances
}

// Waiting and WaitingColumns are candidates that wait; see Note.
type (
	Waiting        = simd.Waiting
	WaitingColumns = simd.WaitingColumns
)

// WaitingMost is how many candidates of a row wait.
const WaitingMost = simd.WaitingMost

// Note has pairs of a row with columns, as Marked tells them, wait for both ends: at mine, where n candidates
// wait, the ids of columns whose distance is at most limit; with each column the id of the row, if it is within
// the column's limit. It ends before a column where either end has no room. It returns how many of near it has
// done, and how many wait at mine.
func (t *Tile) Note(near, distances []uint32, columns *WaitingColumns, mine *Waiting, n, limit, id uint32) (done int, after uint32) {
	return t.m.kernel.Note(near, distances, columns, mine, n, limit, id)
}

// distances is where the sums are, for kernels that write distances instead.
func (t *Tile) distances() []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(t.sums))), len(t.sums))
}

// Either returns the columns whose distance to row r of the band is at most bound
// or the column's own, in their order. bounds has room for a multiple of 16. The
// slices are valid until the next call for this row or the next band.
func (t *Tile) Either(r int, bound uint32, bounds []uint32) (distances, ids []uint32) {
	at := r * (t.ld + 16)
	distances, ids = t.d[at:at+t.ld+16], t.near[at:at+t.ld+16]
	n := t.m.kernel.Either(t.of(r), t.norms, t.adds[r], bound, bounds, t.ids, distances, ids)
	return distances[:n], ids[:n]
}

func (t *Tile) of(r int) []int32 { return t.sums[r*t.ld : r*t.ld+t.wide] }

// mostBound is the largest k that 32 classes give a useful bound for: with one
// for each of them the bound would be that of the emptiest.
const mostBound = 30

// Bound returns a distance within which row r of the band has at least k
// columns, itself counted where it is one, or the largest number where it has
// fewer. It is found without looking at each column by itself, unless k is most of them,
// and lets somewhat more than k pass.
func (t *Tile) Bound(r, k int) uint32 {
	switch {
	case k > t.wide:
		return ^uint32(0)
	case k > stretchShare && t.wide >= max(2*k, 64):
		return t.boundOfStretches(r, k)
	case k <= mostBound:
		return t.m.kernel.Bound(t.of(r), t.norms, t.adds[r], k)
	}
	d, _ := t.Within(r, ^uint32(0))
	slices.Sort(d)
	return d[k-1]
}

// stretchShare is how many columns are looked for in a stretch of them: half of its 32
// classes then have one within the bound. Of 1,000 columns some 43 come within the bound of
// 29 by two stretches, 73 by all at once, whose 29th class is among the emptiest.
const stretchShare = 16

// boundOfStretches is the largest of the bounds that stretches of the columns give for a
// share of k each. Columns after the last 32 are not looked at.
func (t *Tile) boundOfStretches(r, k int) (bound uint32) {
	c, groups := t.of(r), t.wide/32
	stretches := min((k+stretchShare-1)/stretchShare, groups)
	for i := range stretches {
		from, to := 32*(i*groups/stretches), 32*((i+1)*groups/stretches)
		share := (i+1)*k/stretches - i*k/stretches // at most 24: k is at most 16 groups and 15
		bound = max(bound, t.m.kernel.Bound(c[from:to], t.norms[from:], t.adds[r], share))
	}
	return bound
}

// Nearest returns, for every row of the band, the number of the column nearest to
// it, the first of equally near ones. The slice is valid until the next call.
func (t *Tile) Nearest() []uint32 {
	t.m.kernel.First(t.wide, t.sums, t.ld, t.norms, t.adds[:], t.counts[:t.rows])
	return t.counts[:t.rows]
}

// Merge puts candidates, none of them twice, into a list of entries
// distance<<32 | id<<2 | marks, ascending; the largest number stands for no entry.
// Those that are not in it, other than self, enter as new; the list keeps its
// length.
func (t *Tile) Merge(list []uint64, distances, ids []uint32, self uint32) {
	t.m.kernel.Merge(list, distances, ids, self)
}

// Enters reports whether Merge may change the list, into which others may be merging.
func (t *Tile) Enters(list []uint64, distances, ids []uint32, self uint32) bool {
	return t.m.kernel.Enters == nil || t.m.kernel.Enters(list, distances, ids, self)
}

// Expect asks for the memory of rows that will be compared soon.
func (t *Tile) Expect(places []uint32) {
	t.m.kernel.Prefetch(t.m.data, t.m.stride, places, 4*t.m.groups)
	t.m.kernel.Prefetch(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t.m.sums))), 8*len(t.m.sums)), 8, places, 8)
}

// Prefetch asks for size bytes each of the rows ids of any memory, which may be many.
func (t *Tile) Prefetch(base []byte, stride int, ids []uint32, size int) {
	t.m.kernel.Prefetch(base, stride, ids, size)
}

// PrefetchFew asks for rows that will be read next, which are few.
func (t *Tile) PrefetchFew(base []byte, stride int, ids []uint32, size int) {
	t.m.kernel.PrefetchFew(base, stride, ids, size)
}

package simd

// Codes is the arithmetic of rows of unsigned bytes ("codes") in tiles: many
// rows against many, then the near ones among the sums. All of it is exact, in
// integers modulo 2^32.
//
// Columns are packed in panels of 16 rows. Panels hold codes less 128, since
// multipliers of bytes take signed bytes on one side. With
//
//	c = sum over i of x[i] * (y[i] - 128)
//
// the squared distance is norm(x) - 256*sum(x) + norm(y) - 2*c: a number of the
// row (add), a number of the column (norms), and twice the tile.
type Codes struct {
	// Pack writes a panel: panel[64*g+4*j+b] = rows[j][4*g+b] - 128. Rows have
	// 4*groups readable bytes, the panel those of the method PanelBytes. A kernel may
	// keep its panels in another form, as long as its Dots reads it.
	Pack func(rows *[16]*byte, groups int, panel []byte)

	// Dots sets c[ldc*r+16*p+j] to the sum of row r and column j of panel p, for the
	// first n of 16 rows and len(panels)/c.PanelBytes(groups) panels. It may do so for
	// all 16 rows. room has the bytes of the method RoomBytes, and begins a cache line.
	Dots func(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, room []byte)

	// Nearer writes, for each of len(counts) rows r, the squared distances
	// d = adds[r] + norms[j] - 2*c[ldc*r+j] of columns j below n that are at most
	// bounds[r], with ids[j] beside them, in order of j, from d[ldo*r] and
	// outIDs[ldo*r] on, and how many to counts[r]. Up to 16 elements past its
	// results, and norms, ids and rows of c up to multiples of 16, must be there.
	Nearer func(n int, c []int32, ldc int, norms, adds, bounds, ids, d, outIDs []uint32, ldo int, counts []uint32)

	// Either is Nearer for one row, len(c) columns, where the bounds of columns
	// count as well: d is at most bound or bounds[j]. The same must be there beyond, and
	// bounds up to a multiple of 16.
	Either func(c []int32, norms []uint32, add, bound uint32, bounds, ids, d, outIDs []uint32) int

	// Pairs is Dots and Either of every row in one pass, while sums are in registers; nil
	// where a kernel has none. It writes d[ldd*r+j], the squared distance of row r and column
	// j, and sets bit j of the words from marks[ldm*r] on where that is at most bounds[r] or
	// either[j]. Bits of columns that merely fill a panel mean nothing. It may do so for all 16
	// rows: adds and bounds have as many elements, norms and either one for every column
	// of the panels. room is that of Dots.
	Pairs func(rows *[16]*byte, n, groups int, panels []byte, norms, adds, bounds, either, d []uint32, ldd int, marks []uint64, ldm int, room []byte)

	// Bound divides the columns into 32 classes, takes the smallest squared
	// distance of each, and returns the k-th smallest of these, k being at most the
	// number of columns and 32: at least k columns are as near. Two columns less
	// than 32 apart stand in different classes. norms and c up to a multiple of 16 must
	// be there.
	Bound func(c []int32, norms []uint32, add uint32, k int) uint32

	// First writes, for each of len(out) rows r, the number of the first among the
	// columns below n of smallest squared distance. norms and rows of c up to a
	// multiple of 16 must be there; n is at least 1.
	First func(n int, c []int32, ldc int, norms, adds, out []uint32)

	// Merge puts candidates, none of them twice, into list, which ascends:
	// d[i]<<32 | ids[i]<<2 | 3, unless ids[i] is self, or the list has that entry,
	// in which case its two lowest bits, the marks, stay as they are. An id has one distance,
	// and 30 bits of which not all are set. The list keeps its length: its last entries drop
	// out.
	Merge func(list []uint64, d, ids []uint32, self uint32)

	// Enters reports whether Merge would change the list; of long lists it may say so in any case. Other
	// threads may be merging into the list: it is then false only if the candidates enter neither
	// before nor after. nil where a kernel has none.
	Enters func(list []uint64, d, ids []uint32, self uint32) bool

	// Dealt picks, in order, the entries of a list, as Merge makes them, whose ids are below n and [PartOf]
	// some parts, the first of them from: it writes their numbers in the list and their ids, and returns how many there
	// are. numbers and ids have room for all entries and 16 elements more; from, parts and n are not negative.
	// It does not branch on what it finds, which no processor guesses.
	Dealt func(list []uint64, from, parts, n int, numbers, ids []uint32) int

	// Bits writes the numbers of the bits that are set in words, and up to four more, and returns how
	// many are set. numbers has room for four elements more.
	Bits func(words []uint64, numbers []uint32) int

	// Note has pairs of a row with near columns, which are told by number, wait for both ends: at mine, where n
	// candidates wait, that are within limit, ids of columns; with each column that are within its limit, the id of the row.
	// It ends before a column where either end has no room. It returns how many columns it has done, and the new n.
	// distances are of all columns.
	Note func(near, distances []uint32, columns *WaitingColumns, mine *Waiting, n, limit, id uint32) (done int, after uint32)

	// Steps makes codes of products: dst[j] is products[j]-offsets[j], which fits 32 bits,
	// times factor, in parts of 1<<StepsShift, rounded, at least -128 and at most 127,
	// plus 128. offsets and dst are as long as products.
	Steps func(products, offsets []int32, factor int32, dst []byte)

	// Prefetch asks for the first bytes of rows that will be read soon, row r of
	// base beginning at base[r*stride]. It may do nothing. There may be hundreds of them,
	// and they go where they all fit: to the second-level cache.
	Prefetch func(base []byte, stride int, ids []uint32, bytes int)

	// PrefetchFew does that for rows of some thirty lines of memory together that will be
	// read next: to the first-level cache.
	PrefetchFew func(base []byte, stride int, ids []uint32, bytes int)

	wide   int                    // bytes of an element in a panel; 0 is 1
	panel  int                    // bytes of a panel; 0 is by the groups
	roomy  int                    // bytes of an element in room
	aside  int                    // bytes of room behind the rows
	zero   uint32                 // of panels; 0 is 128
	short  *Codes                 // for short codes; nil is this one
	narrow func(Narrowing) *Codes // for narrow codes; nil where that gains nothing
}

// PartOf is which of 32 parts an id is dealt to: 16 ids, one after the other, to the same, and these groups
// evenly (Knuth, "The Art of Computer Programming", volume 3, section 6.4, Fibonacci hashing).
func PartOf(id uint32) int { return int(id / 16 * partFactor >> 27) }

const partFactor = 0x9e3779b1 // 2^32 by the golden ratio

// StepsShift is of the fixed point in which products become steps.
const StepsShift = 24

// RoomBytes is the size of the buffer that Dots and Pairs write to.
func (c *Codes) RoomBytes(groups int) int { return c.roomy*PanelBytes(groups) + c.aside }

// PanelBytes is the size of a panel of this kernel's.
func (c *Codes) PanelBytes(groups int) int {
	if c.panel > 0 {
		return c.panel
	}
	return PanelBytes(max(1, c.wide) * groups)
}

// PanelBytes is the size of a panel: 64 bytes a group of four elements, in
// multiples of 16 groups, which Pack writes at a time.
func PanelBytes(groups int) int { return (groups + 15) / 16 * 16 * 64 }

//go:build amd64 && !noasm

package simd

// lists are the functions of an instruction set that select among sums and keep the
// results: functions of Codes that take pointers and lengths, short for lists of at most 32.
// No argument is empty.
type lists struct {
	nearer      func(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)
	either      func(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int
	bound       func(c *int32, n int, norms *uint32, add uint32, k int) uint32
	first       func(rows, n int, c *int32, ldc int, norms, adds, out *uint32)
	short, long func(list *uint64, k int, d, ids *uint32, n int, self uint32)
	enters      func(list *uint64, k int, d, ids *uint32, n int, self uint32) bool // of at most 32; may be nil
	dealt       func(list *uint64, k int, from, last, end uint32, numbers, ids *uint32) int
}

var (
	lists512 = lists{nearer512, either512, bound512, first512, mergeShort512, mergeLong512, enters512, dealt512}
	lists2   = lists{nearer2, either2, bound2, first2, mergeShort2, mergeLong2, nil, dealt2}
)

// codes gives them the shape of Codes, which has no products yet.
func (l lists) codes() *Codes {
	c := l.selecting()
	if l.enters != nil {
		c.Enters = func(list []uint64, d, ids []uint32, self uint32) bool {
			if len(ids) == 0 || len(list) > 32 {
				return len(ids) > 0
			}
			return l.enters(&list[0], len(list), &d[0], &ids[0], len(ids), self)
		}
	}
	return c
}

func (l lists) selecting() *Codes {
	return &Codes{
		Nearer: func(n int, c []int32, ldc int, norms, adds, bounds, ids, d, outIDs []uint32, ldo int, counts []uint32) {
			if n == 0 {
				clear(counts)
			} else if rows := len(counts); rows > 0 {
				l.nearer(rows, n, &c[0], ldc, &norms[0], &adds[0], &bounds[0], &ids[0], &d[0], &outIDs[0], ldo, &counts[0])
			}
		},
		Either: func(c []int32, norms []uint32, add, bound uint32, bounds, ids, d, outIDs []uint32) int {
			if len(c) == 0 {
				return 0
			}
			return l.either(len(c), &c[0], &norms[0], add, bound, &bounds[0], &ids[0], &d[0], &outIDs[0])
		},
		Bound: func(c []int32, norms []uint32, add uint32, k int) uint32 {
			return l.bound(&c[0], len(c), &norms[0], add, k)
		},
		First: func(n int, c []int32, ldc int, norms, adds, out []uint32) {
			if len(out) > 0 {
				l.first(len(out), n, &c[0], ldc, &norms[0], &adds[0], &out[0])
			}
		},
		Merge: func(list []uint64, d, ids []uint32, self uint32) {
			switch {
			case len(ids) == 0:
			case len(list) <= 32:
				l.short(&list[0], len(list), &d[0], &ids[0], len(ids), self)
			default:
				l.long(&list[0], len(list), &d[0], &ids[0], len(ids), self)
			}
		},
		Dealt: func(list []uint64, from, parts, n int, numbers, ids []uint32) (count int) {
			whole := len(list) / 16 * 16
			if parts <= 0 || n <= 0 {
				return 0
			}
			if whole > 0 {
				_, _ = numbers[len(list)+15], ids[len(list)+15]
				count = l.dealt(&list[0], whole, uint32(from), uint32(parts-1), uint32(n-1), &numbers[0], &ids[0])
			}
			rest := dealtGo(list[whole:], from, parts, n, numbers[count:], ids[count:])
			for i := range rest {
				numbers[count+i] += uint32(whole)
			}
			return count + rest
		},
		Bits: func(words []uint64, numbers []uint32) int {
			if len(words) == 0 {
				return 0
			}
			return bitsOf(&words[0], len(words), &numbers[0])
		},
		Note: func(near, distances []uint32, columns *WaitingColumns, mine *Waiting, n, limit, id uint32) (done int, after uint32) {
			if len(near) == 0 {
				return 0, n
			}
			return note(&near[0], len(near), &distances[0], columns, mine, n, limit, id)
		},
		Steps:       stepsGo,
		Prefetch:    prefetch,
		PrefetchFew: prefetchFew,
	}
}

func prefetch(base []byte, stride int, ids []uint32, bytes int) {
	if len(base) > 0 && len(ids) > 0 {
		prefetchRows(&base[0], stride, &ids[0], len(ids), bytes)
	}
}

func prefetchFew(base []byte, stride int, ids []uint32, bytes int) {
	if len(base) > 0 && len(ids) > 0 {
		prefetchFewRows(&base[0], stride, &ids[0], len(ids), bytes)
	}
}

//go:noescape
func prefetchFewRows(base *byte, stride int, ids *uint32, n, bytes int)

//go:noescape
func prefetchRows(base *byte, stride int, ids *uint32, n, bytes int)

//go:noescape
func nearer512(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)

//go:noescape
func either512(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int

//go:noescape
func bound512(c *int32, n int, norms *uint32, add uint32, k int) uint32

//go:noescape
func first512(rows, n int, c *int32, ldc int, norms, adds, out *uint32)

//go:noescape
func mergeShort512(list *uint64, k int, d, ids *uint32, n int, self uint32)

//go:noescape
func enters512(list *uint64, k int, d, ids *uint32, n int, self uint32) bool

//go:noescape
func mergeLong512(list *uint64, k int, d, ids *uint32, n int, self uint32)

//go:noescape
func nearer2(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)

//go:noescape
func either2(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int

//go:noescape
func bound2(c *int32, n int, norms *uint32, add uint32, k int) uint32

//go:noescape
func first2(rows, n int, c *int32, ldc int, norms, adds, out *uint32)

//go:noescape
func mergeShort2(list *uint64, k int, d, ids *uint32, n int, self uint32)

//go:noescape
func mergeLong2(list *uint64, k int, d, ids *uint32, n int, self uint32)

//go:noescape
func bitsOf(words *uint64, n int, numbers *uint32) int

//go:noescape
func note(near *uint32, k int, distances *uint32, columns *WaitingColumns, mine *Waiting, n, limit, id uint32) (done int, after uint32)

// dealt512 is Dealt of a multiple of 16 entries, at least 16, for parts from from to from+last and ids up to end.
//
//go:noescape
func dealt512(list *uint64, k int, from, last, end uint32, numbers, ids *uint32) int

// dealt2 is the same.
//
//go:noescape
func dealt2(list *uint64, k int, from, last, end uint32, numbers, ids *uint32) int

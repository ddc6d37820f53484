//go:build amd64 && !noasm

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// codes512 are the tiles of AVX-512 where the CPU multiplies bytes.
func codes512() *Codes {
	if !cpu.X86.HasAVX512VNNI || !cpu.X86.HasBMI2 || !cpu.X86.HasBMI1 || !cpu.X86.HasPOPCNT {
		return codes2()
	}
	return &Codes{
		Pack: func(rows *[16]*byte, groups int, panel []byte) {
			_ = panel[PanelBytes(groups)-1]
			pack512(rows, groups, &panel[0], 0x80808080)
		},
		Dots: dotsByEights(dotsVNNI),
		Nearer: func(n int, c []int32, ldc int, norms, adds, bounds, ids, d, outIDs []uint32, ldo int, counts []uint32) {
			if rows := len(counts); rows > 0 {
				nearerVNNI(rows, n, &c[0], ldc, &norms[0], &adds[0], &bounds[0], &ids[0], &d[0], &outIDs[0], ldo, &counts[0])
			}
		},
		Either: func(c []int32, norms []uint32, add, bound uint32, bounds, ids, d, outIDs []uint32) int {
			if len(c) == 0 {
				return 0
			}
			return eitherVNNI(len(c), &c[0], &norms[0], add, bound, &bounds[0], &ids[0], &d[0], &outIDs[0])
		},
		Unlisted: func(list, d, ids []uint32, self uint32) int {
			if len(list) == 0 || len(ids) == 0 {
				return unlistedGo(list, d, ids, self)
			}
			return unlistedVNNI(&list[0], len(list), &d[0], &ids[0], len(ids), self)
		},
		Bound: func(c []int32, norms []uint32, add uint32, k int) uint32 {
			return boundVNNI(&c[0], len(c), &norms[0], add, k)
		},
		First: func(n int, c []int32, ldc int, norms, adds, out []uint32) {
			if len(out) > 0 {
				firstVNNI(len(out), n, &c[0], ldc, &norms[0], &adds[0], &out[0])
			}
		},
		Merge: func(list []uint64, d, ids []uint32, self uint32) {
			switch {
			case len(ids) == 0:
			case len(list) <= 32:
				mergeShort(&list[0], len(list), &d[0], &ids[0], len(ids), self)
			default:
				mergeLong(&list[0], len(list), &d[0], &ids[0], len(ids), self)
			}
		},
		Prefetch: prefetch,
	}
}

// codes2 are the tiles of AVX2: the products take nearly all of the time, what is
// near among them is found in Go.
func codes2() *Codes {
	c := portableCodes()
	c.Prefetch = prefetch
	c.Dots = dotsByEights(func(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int) {
		dotsAVX2((*[4]*byte)(rows[:4]), groups, panels, stride, count, c, ldc)
		dotsAVX2((*[4]*byte)(rows[4:]), groups, panels, stride, count, (*int32)(unsafe.Add(unsafe.Pointer(c), 16*ldc)), ldc)
	})
	return c
}

//go:noescape
func dotsAVX2(rows *[4]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func pack512(rows *[16]*byte, groups int, panel *byte, flip uint32)

//go:noescape
func dotsVNNI(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func nearerVNNI(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)

//go:noescape
func eitherVNNI(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int

//go:noescape
func unlistedVNNI(list *uint32, k int, d, ids *uint32, n int, self uint32) int

//go:noescape
func boundVNNI(c *int32, n int, norms *uint32, add uint32, k int) uint32

//go:noescape
func firstVNNI(rows, n int, c *int32, ldc int, norms, adds, out *uint32)

//go:noescape
func mergeShort(list *uint64, k int, d, ids *uint32, n int, self uint32)

//go:noescape
func mergeLong(list *uint64, k int, d, ids *uint32, n int, self uint32)

func prefetch(base []byte, stride int, ids []uint32, bytes int) {
	if len(ids) > 0 {
		prefetchRows(&base[0], stride, &ids[0], len(ids), bytes)
	}
}

//go:noescape
func prefetchRows(base *byte, stride int, ids *uint32, n, bytes int)

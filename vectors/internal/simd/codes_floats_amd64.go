//go:build amd64 && !noasm

package simd

import (
	"sync"
	"unsafe"
)

// avx512InFloats is avx512 but for products of codes, which it forms in float32: the
// same sums at the speed that rows of float32 would be compared with. It is there
// to measure the gain of bytes over floats (KNNG_KERNEL=avx512-f32), all else
// being equal. Rows are still gathered as bytes, which flatters it.
func avx512InFloats() *Kernel {
	k := avx512()
	k.Name = "avx512-f32"
	k.Codes.Pack, k.Codes.Dots, k.Codes.Pairs, k.Codes.wide = packFloats512, dotsFloats512, nil, 4
	k.Codes.short = nil
	return k
}

// exactTerms is how many products of a code and a code less 128 have sums below
// 2^24 whatever they are: these are exact in float32.
const exactTerms = 512

// blockPanels is how many panels are compared before their sums become integers.
const blockPanels = 32

// floatRoom is the buffers of a call: made once, as clearing them would take longer than
// a small tile.
type floatRoom struct {
	rows [16][exactTerms]float32
	at   [16]*byte
	sums [8][16 * blockPanels]float32
}

var floatRooms = sync.Pool{New: func() any { return new(floatRoom) }}

// widen makes elements of some rows float32, less a number.
func (f *floatRoom) widen(rows []*byte, from, n int, less int32) {
	for j, row := range rows {
		widen512(&f.rows[j][0], (*byte)(unsafe.Add(unsafe.Pointer(row), from)), n, less)
		f.at[j] = (*byte)(unsafe.Pointer(&f.rows[j]))
	}
}

// packFloats512 writes a panel of float32: panel[16*i+j] = rows[j][i] - 128.
func packFloats512(rows *[16]*byte, groups int, panel []byte) {
	f := floatRooms.Get().(*floatRoom)
	defer floatRooms.Put(f)
	dim := 4 * groups
	_ = panel[PanelBytes(dim)-1]
	for from := 0; from < dim; from += exactTerms {
		n := min(exactTerms, dim-from)
		f.widen(rows[:], from, n, 128)
		pack512(&f.at, n, &panel[64*from], 0)
	}
}

// dotsFloats512 is Dots by products of float32.
func dotsFloats512(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, _ []byte) {
	for at := 0; at < n; at += 8 {
		eightFloats512((*[8]*byte)(rows[at:]), groups, panels, c[at*ldc:], ldc)
	}
}

func eightFloats512(rows *[8]*byte, groups int, panels []byte, c []int32, ldc int) {
	dim := 4 * groups
	stride := PanelBytes(dim)
	count := len(panels) / stride
	for r := range 8 {
		clear(c[r*ldc : r*ldc+16*count])
	}
	f := floatRooms.Get().(*floatRoom)
	defer floatRooms.Put(f)
	for from := 0; from < dim; from += exactTerms {
		n := min(exactTerms, dim-from)
		f.widen(rows[:], from, n, 0)
		for first := 0; first < count; first += blockPanels {
			some := min(blockPanels, count-first)
			products512((*[8]*byte)(f.at[:8]), n, &panels[first*stride+64*from], stride, some, &f.sums[0][0], 16*blockPanels)
			for r := range f.sums {
				addSums512(&c[r*ldc+16*first], &f.sums[r][0], 16*some)
			}
		}
	}
}

// widen512 sets dst[i] to src[i] - less for n codes.
//
//go:noescape
func widen512(dst *float32, src *byte, n int, less int32)

// addSums512 adds n sums, which are integers, to dst; n is a multiple of 16.
//
//go:noescape
func addSums512(dst *int32, sums *float32, n int)

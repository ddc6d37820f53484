package simd

import "unsafe"

func portableProducts() *Products {
	return &Products{Pack: packFloatsGo, Products: productsGo, Reaching: reachingGo, Halves: halvesGo}
}

func packFloatsGo(rows *[16]*byte, dim int, panel []byte) {
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(panel))), 16*dim)
	for j, p := range rows {
		for i, x := range unsafe.Slice((*uint32)(unsafe.Pointer(p)), dim) {
			words[16*i+j] = x
		}
	}
}

func productsGo(rows *[8]*byte, dim int, panels []byte, c []float32, ldc int) {
	for r, p := range rows {
		row := unsafe.Slice((*float32)(unsafe.Pointer(p)), dim)
		for at, first := 0, 0; at < len(panels); at, first = at+PanelBytes(dim), first+16 {
			panel := unsafe.Slice((*float32)(unsafe.Pointer(&panels[at])), 16*dim)
			var sums [16]float32
			for i, x := range row {
				cells := panel[16*i : 16*i+16]
				for j := range sums {
					sums[j] += x * cells[j]
				}
			}
			copy(c[r*ldc+first:], sums[:])
		}
	}
}

func reachingGo(c, halves, leasts []float32, half, least float32, out []uint32) (n int) {
	for j, x := range c {
		if !(x-halves[j] < least) || !(x-half < leasts[j]) {
			out[n] = uint32(j)
			n++
		}
	}
	return n
}

func halvesGo(dst []float32, src []byte) { float16s(dst, src, 0) }

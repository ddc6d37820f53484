package simd

import (
	"slices"
	"unsafe"
)

func portableCodes() *Codes {
	return &Codes{Pack: packGo, Dots: dotsGo, Nearer: nearerGo, Either: eitherGo, Bound: boundGo, First: firstGo, Merge: mergeGo, Dealt: dealtGo, Bits: bitsGo, Note: noteGo, Steps: stepsGo, Prefetch: prefetchGo, PrefetchFew: prefetchGo}
}

func packGo(rows *[16]*byte, groups int, panel []byte) {
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(panel))), 16*groups)
	for j, p := range rows {
		row := unsafe.Slice((*uint32)(unsafe.Pointer(p)), groups)
		for g, x := range row {
			words[16*g+j] = x ^ 0x80808080
		}
	}
}

func dotsGo(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, _ []byte) {
	for r, p := range rows[:n] {
		row := unsafe.Slice(p, 4*groups)
		for at, first := 0, 0; at < len(panels); at, first = at+PanelBytes(groups), first+16 {
			panel := panels[at : at+64*groups]
			var sums [16]int32
			for g := range groups {
				x0, x1, x2, x3 := int32(row[4*g]), int32(row[4*g+1]), int32(row[4*g+2]), int32(row[4*g+3])
				cells := panel[64*g : 64*g+64]
				for j := range sums {
					y := cells[4*j : 4*j+4]
					sums[j] += x0*int32(int8(y[0])) + x1*int32(int8(y[1])) + x2*int32(int8(y[2])) + x3*int32(int8(y[3]))
				}
			}
			copy(c[r*ldc+first:], sums[:])
		}
	}
}

func nearerGo(n int, c []int32, ldc int, norms, adds, bounds, ids, d, outIDs []uint32, ldo int, counts []uint32) {
	for r := range counts {
		m := 0
		for j, x := range c[r*ldc : r*ldc+n] {
			if y := adds[r] + norms[j] - 2*uint32(x); y <= bounds[r] {
				d[r*ldo+m], outIDs[r*ldo+m] = y, ids[j]
				m++
			}
		}
		counts[r] = uint32(m)
	}
}

func eitherGo(c []int32, norms []uint32, add, bound uint32, bounds, ids, d, outIDs []uint32) (n int) {
	for j, x := range c {
		if y := add + norms[j] - 2*uint32(x); y <= max(bound, bounds[j]) {
			d[n], outIDs[n] = y, ids[j]
			n++
		}
	}
	return n
}

func boundGo(c []int32, norms []uint32, add uint32, k int) uint32 {
	var minima [32]uint32
	for i := range minima {
		minima[i] = ^uint32(0)
	}
	for j, x := range c {
		minima[j%32] = min(minima[j%32], add+norms[j]-2*uint32(x))
	}
	slices.Sort(minima[:])
	return minima[k-1]
}

func firstGo(n int, c []int32, ldc int, norms, adds, out []uint32) {
	for r := range out {
		best := ^uint32(0)
		out[r] = 0
		for j, x := range c[r*ldc : r*ldc+n] {
			if y := adds[r] + norms[j] - 2*uint32(x); y < best {
				best, out[r] = y, uint32(j)
			}
		}
	}
}

func mergeGo(list []uint64, d, ids []uint32, self uint32) {
	last := len(list) - 1
	for i, id := range ids {
		e := uint64(d[i])<<32 | uint64(id)<<2 | 3
		if id == self || list[last]|3 <= e {
			continue
		}
		at, _ := slices.BinarySearch(list, e-3) // without marks it comes before itself with any
		if list[at]|3 == e {
			continue
		}
		copy(list[at+1:], list[at:last])
		list[at] = e
	}
}

func dealtGo(list []uint64, from, parts, n int, numbers, ids []uint32) (count int) {
	for i, e := range list {
		id := uint32(e) >> 2
		numbers[count], ids[count] = uint32(i), id
		beyond := uint64(uint32(PartOf(id) - from)) // far beyond where it comes before from
		count += int((beyond - uint64(parts)) & (uint64(id) - uint64(n)) >> 63)
	}
	return count
}

func stepsGo(products, offsets []int32, factor int32, dst []byte) {
	offsets, dst = offsets[:len(products)], dst[:len(products)]
	for j, x := range products {
		step := (int64(x-offsets[j])*int64(factor) + 1<<(StepsShift-1)) >> StepsShift
		dst[j] = byte(min(max(step, -128), 127) + 128)
	}
}

// prefetchGo does nothing.
func prefetchGo([]byte, int, []uint32, int) {}

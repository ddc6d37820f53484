//go:build (amd64 || arm64) && !noasm

package simd

// Shared by kernels whose assembly takes whole blocks of 16 elements.

// intsBy sums blocks by assembly, of one pair at a time, and the rest in Go.
func intsBy(blocks func(x, row *byte, blocks int) uint32, rest func(x, y []byte) uint32) Ints {
	return func(x, base []byte, stride, dim int, ids []uint32, out []uint32) {
		whole := dim / 16 * 16
		for j, id := range ids {
			row := base[int(id)*stride:][:dim]
			out[j] = rest(x[whole:dim], row[whole:])
			if whole > 0 {
				out[j] += blocks(&x[0], &row[0], whole/16)
			}
		}
	}
}

// floatsBy does the same in the lanes of the float rule, for elements of some bytes in x and in
// rows. The elements after the last block are copied to a block of zeros, which add nothing: a
// decoder in Go took 80 ns for 12 of them. Rows are long: the one after the next is asked for
// while one is summed.
func floatsBy(blocks func(x, row *byte, blocks int, lanes *lanes), ofX, ofRow int) Floats {
	return func(x, base []byte, stride, dim int, ids []uint32, out []float64) {
		whole := dim / 16 * 16
		p := pairs.Get().(*pair)
		p.x, p.row = [64]byte{}, [64]byte{}
		copy(p.x[:], x[whole*ofX:dim*ofX])
		for j, id := range ids {
			row := base[int(id)*stride:][:dim*ofRow]
			if j+2 < len(ids) {
				prefetchRows(&base[0], stride, &ids[j+2], 1, stride)
			}
			p.lanes = lanes{}
			if whole > 0 {
				blocks(&x[0], &row[0], whole/16, &p.lanes)
			}
			if whole < dim {
				copy(p.row[:], row[whole*ofRow:])
				blocks(&p.x[0], &p.row[0], 1, &p.rest)
				for i, sum := range p.rest[:dim-whole] {
					p.lanes[i] += sum
				}
			}
			out[j] = p.lanes.add()
		}
		pairs.Put(p)
	}
}

// halvesBy converts blocks of 16 by assembly and the rest in Go.
func halvesBy(blocks func(dst *float32, src *byte, n int)) func(dst []float32, src []byte) {
	return func(dst []float32, src []byte) {
		src = src[:2*len(dst)]
		whole := len(dst) / 16 * 16
		if whole > 0 {
			blocks(&dst[0], &src[0], whole)
		}
		halvesGo(dst[whole:], src[2*whole:])
	}
}

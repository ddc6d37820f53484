//go:build amd64 && !noasm

package simd

// squares2 sums the squares of whole lists of rows of bytes by assembly: a search compares a query
// with some twenty rows at a time, and a call for each costs as much as the row. sign is 0x80 where
// bytes are signed.
func squares2(sign byte, rest func(x, y []byte) uint32) Ints {
	signs := [...]byte{sign}
	return func(x, base []byte, stride, dim int, ids []uint32, out []uint32) {
		if len(ids) == 0 {
			return
		}
		whole := dim / 16 * 16
		if whole == 0 {
			clear(out[:len(ids)])
		} else {
			squaresAVX2(&x[0], &base[0], stride, &ids[0], len(ids), dim/32, dim/16%2, &out[0], &signs[0])
		}
		if whole == dim {
			return
		}
		for j, id := range ids {
			out[j] += rest(x[whole:dim], base[int(id)*stride:][whole:dim])
		}
	}
}

//go:noescape
func squaresAVX2(x, base *byte, stride int, ids *uint32, n, wide, half int, out *uint32, sign *byte)

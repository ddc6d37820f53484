package simd

import (
	"encoding/binary"
	"math"
)

// movedGo is MovedF32.
func movedGo(x, base []byte, stride, dim int, ids []uint32, out []float64) {
	for j, id := range ids {
		row := base[int(id)*stride:][:4*dim]
		center := meanOf(row)
		var l lanes
		for i := range dim {
			// The conversion forbids fusing the product with the sum.
			l[i&15] += float64(float64At(x, i) * (float32At(row, i) - center))
		}
		out[j] = l.add()
	}
}

func meanOf(row []byte) float64 {
	var l lanes
	for i := range len(row) / 4 {
		l[i&15] += float32At(row, i)
	}
	return l.add() / float64(len(row)/4)
}

func float32At(row []byte, i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:])))
}

func float64At(row []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(row[8*i:]))
}

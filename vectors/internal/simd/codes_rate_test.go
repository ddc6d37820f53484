package simd

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// BenchmarkPairs is 16 rows against 1,000 columns of 128 codes, of which hardly any are near:
// by bytes and by short codes.
func BenchmarkPairs(b *testing.B) {
	for name, k := range map[string]*Codes{"bytes": kernels()[0].Codes, "short": kernels()[0].Codes.OfShort()} {
		b.Run(name, func(b *testing.B) { pairsRate(b, k, 32) })
	}
}

func pairsRate(b *testing.B, k *Codes, groups int) {
	const columns = 1008
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, columns*4*groups)
	for i := range data {
		data[i] = byte(rng.IntN(ShortCodes))
	}
	size := k.PanelBytes(groups)
	panels, room := make([]byte, columns/16*size), make([]byte, k.RoomBytes(groups))
	var rows [16]*byte
	for p := range columns / 16 {
		for j := range rows {
			rows[j] = unsafe.SliceData(data[(16*p+j)*4*groups:])
		}
		k.Pack(&rows, groups, panels[p*size:(p+1)*size])
	}
	norms, either := make([]uint32, columns), make([]uint32, columns)
	adds, bounds := make([]uint32, 16), make([]uint32, 16)
	ids, near := make([]uint32, columns), make([]uint32, columns+16)
	c, d := make([]int32, 16*columns), make([]uint32, 16*columns+16)
	marks := make([]uint64, 16*16)
	for i := range adds {
		adds[i] = 1 << 30
	}
	for b.Loop() {
		if k.Pairs != nil {
			k.Pairs(&rows, 16, groups, panels, norms, adds, bounds, either, d, columns, marks, 16, room)
			continue
		}
		k.Dots(&rows, 16, groups, panels, c, columns, room)
		for r := range 16 {
			k.Either(c[r*columns:][:columns], norms, adds[r], bounds[r], either, ids, d, near)
		}
	}
	b.ReportMetric(float64(b.N)*16*columns/b.Elapsed().Seconds()/1e6, "Mpairs/s")
}

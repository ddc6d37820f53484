package builder

import (
	"math"

	"github.com/knng/knng/builder/pages"
)

// bounds tells of every place what is too far to enter its list: a key, rounded up to the
// upper half of a float32. In the parts method it is the last of the lists last folded.
// What a group finds beyond it need not be written, nor, where codes are keys, looked at:
// after the first division that is most of it. In the exact method it is that of a
// division made for it. The graph is the same without.
type bounds struct {
	keys pages.Block[uint16] // empty: no bounds yet
}

// take makes room for n places, without bounds.
func (b *bounds) take(l *pages.Ledger, n int) (err error) {
	if b.keys.Slice != nil {
		return nil
	}
	if b.keys, err = pages.Take[uint16](l, n); err != nil {
		return err
	}
	for place := range uint32(n) {
		b.set(place, float32(math.Inf(1)))
	}
	return nil
}

// set notes the key that nothing beyond enters.
func (b *bounds) set(place uint32, key float32) {
	bits := math.Float32bits(key)
	upper := uint16(bits >> 16)
	if key > 0 && bits&0xffff != 0 {
		upper++ // the next larger one; of negative numbers, cutting off is rounding up
	}
	b.keys.Slice[place] = upper
}

func (b *bounds) key(place uint32) float32 {
	if b.keys.Slice == nil {
		return float32(math.Inf(1))
	}
	return math.Float32frombits(uint32(b.keys.Slice[place]) << 16)
}

// distance is the key as a distance of codes, where these are keys.
func (b *bounds) distance(place uint32) uint32 {
	key := b.key(place)
	if key >= math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(key)
}

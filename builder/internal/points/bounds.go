package points

import (
	"math"

	"github.com/knng/knng/builder/internal/offheap"
)

// Bounds holds, for every place, the key beyond which a candidate cannot enter its list, rounded up to the
// upper half of a float32. In the parts method it is the last key of the latest folded list, or of a list
// that a group has found since: a group does not write candidates beyond it. In the exact method it comes
// from a division made for it. The graph is the same without bounds.
type Bounds struct {
	keys offheap.Block[uint16] // empty: no bounds yet
}

// Take allocates bounds for n places, all infinite.
func (b *Bounds) Take(l *offheap.Ledger, n int) (err error) {
	if b.keys.Slice != nil {
		return nil
	}
	if b.keys, err = offheap.Take[uint16](l, n); err != nil {
		return err
	}
	for place := range uint32(n) {
		b.Set(place, float32(math.Inf(1)))
	}
	return nil
}

// Free frees the memory.
func (b *Bounds) Free() { b.keys.Free() }

// Set sets the key of a place.
func (b *Bounds) Set(place uint32, key float32) {
	b.keys.Slice[place] = Upper(key)
}

// Lower sets the key of a place if it is nearer than the present one.
func (b *Bounds) Lower(place uint32, key float32) {
	if key < b.Key(place) {
		b.Set(place, key)
	}
}

// SetUpper sets the key of a place, already rounded by Upper.
func (b *Bounds) SetUpper(place uint32, upper uint16) { b.keys.Slice[place] = upper }

// Upper returns a key rounded up to the upper half of a float32.
func Upper(key float32) uint16 {
	bits := math.Float32bits(key)
	upper := uint16(bits >> 16)
	if key > 0 && bits&0xffff != 0 {
		upper++ // the next larger one; of negative numbers, cutting off is rounding up
	}
	return upper
}

func (b *Bounds) Key(place uint32) float32 {
	if b.keys.Slice == nil {
		return float32(math.Inf(1))
	}
	return math.Float32frombits(uint32(b.keys.Slice[place]) << 16)
}

// Gather appends the keys of places to room. Their cache misses overlap.
func (b *Bounds) Gather(room []float32, places []uint32) []float32 {
	for _, place := range places {
		room = append(room, b.Key(place))
	}
	return room
}

// Distance returns the bound as a distance of codes, if codes are keys.
func (b *Bounds) Distance(place uint32) uint32 {
	key := b.Key(place)
	if key >= math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(key)
}

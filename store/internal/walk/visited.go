package walk

import "encoding/binary"

// Visited is a set of places that is emptied at once: an open table of their complements, 0
// where a slot is free. It takes 8 bytes a visited place or more, not 4 bytes a row, and begins small
// with every round, so that it stays in the nearest cache. No is no place.
type Visited struct {
	slots []uint32
	other []uint32 // of the size before or after, kept for the next round
	count int
}

// No stands where there is no place.
const No = ^uint32(0)

const firstSlots = 1 << 12

// Clear begins a round.
func (v *Visited) Clear() {
	v.count = 0
	if v.slots == nil {
		v.slots = make([]uint32, firstSlots)
		return
	}
	v.slots = v.slots[:firstSlots]
	clear(v.slots)
}

// Add reports whether the place was not in the set, and puts it there.
func (v *Visited) Add(place uint32) bool {
	mask := uint32(len(v.slots) - 1)
	for i := hashed(place) & mask; ; i = (i + 1) & mask {
		switch slot := v.slots[i]; slot {
		case ^place:
			return false
		case 0:
			v.slots[i] = ^place
			if v.count++; v.count > len(v.slots)/2 {
				v.grow()
			}
			return true
		}
	}
}

// AddAll adds the places of a row of links, u32 each, up to the first No, and appends those that
// were not in the set to fresh.
func (v *Visited) AddAll(links []byte, fresh []uint32) []uint32 {
	for v.count+len(links)/4 > len(v.slots)/2 {
		v.grow()
	}
	before, slots := len(fresh), v.slots
	mask := uint32(len(slots) - 1)
next:
	for ; len(links) >= 4; links = links[4:] {
		place := binary.LittleEndian.Uint32(links)
		if place == No {
			break
		}
		i := hashed(place) & mask
		for ; slots[i] != 0; i = (i + 1) & mask {
			if slots[i] == ^place {
				continue next
			}
		}
		slots[i] = ^place
		fresh = append(fresh, place)
	}
	v.count += len(fresh) - before
	return fresh
}

// Has reports whether the place is in the set.
func (v *Visited) Has(place uint32) bool {
	mask := uint32(len(v.slots) - 1)
	for i := hashed(place) & mask; v.slots[i] != 0; i = (i + 1) & mask {
		if v.slots[i] == ^place {
			return true
		}
	}
	return false
}

func hashed(place uint32) uint32 { return uint32(uint64(place) * 0x9e3779b97f4a7c15 >> 29) }

// grow doubles the table.
func (v *Visited) grow() {
	old, n := v.slots, 2*len(v.slots)
	if cap(v.other) < n {
		v.other = make([]uint32, n)
	}
	v.slots, v.other = v.other[:n], old
	clear(v.slots)
	mask := uint32(n - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := hashed(^slot) & mask
		for v.slots[i] != 0 {
			i = (i + 1) & mask
		}
		v.slots[i] = slot
	}
}

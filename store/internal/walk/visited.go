package walk

// Visited is a set of places that is emptied at once: slots of an open table hold the round
// in which they were set. It takes 16 bytes a visited place or more, not 4 bytes a row.
type Visited struct {
	slots []uint64 // round<<32 | place
	round uint64
	count int
}

const firstSlots = 1 << 12

// Clear begins a round.
func (v *Visited) Clear() {
	v.round++
	v.count = 0
	if v.slots == nil || v.round == 1<<32 {
		v.slots = make([]uint64, max(firstSlots, len(v.slots)))
		v.round = 1
	}
}

// Add reports whether the place was not in the set, and puts it there.
func (v *Visited) Add(place uint32) bool {
	mask := uint64(len(v.slots) - 1)
	want := v.round<<32 | uint64(place)
	for i := hashed(place) & mask; ; i = (i + 1) & mask {
		slot := v.slots[i]
		if slot == want {
			return false
		}
		if slot>>32 != v.round {
			v.slots[i] = want
			break
		}
	}
	if v.count++; v.count > len(v.slots)/2 {
		v.grow()
	}
	return true
}

// Has reports whether the place is in the set.
func (v *Visited) Has(place uint32) bool {
	mask := uint64(len(v.slots) - 1)
	want := v.round<<32 | uint64(place)
	for i := hashed(place) & mask; v.slots[i]>>32 == v.round; i = (i + 1) & mask {
		if v.slots[i] == want {
			return true
		}
	}
	return false
}

func hashed(place uint32) uint64 { return uint64(place) * 0x9e3779b97f4a7c15 >> 29 }

// grow doubles the table.
func (v *Visited) grow() {
	old := v.slots
	v.slots = make([]uint64, 2*len(old))
	mask := uint64(len(v.slots) - 1)
	for _, slot := range old {
		if slot>>32 != v.round {
			continue
		}
		i := hashed(uint32(slot)) & mask
		for v.slots[i]>>32 == v.round {
			i = (i + 1) & mask
		}
		v.slots[i] = slot
	}
}

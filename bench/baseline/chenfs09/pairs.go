package chenfs09

import "math/bits"

// pairs is a set of unordered pairs of rows: open addressing, at most half full,
// 16 to 32 bytes a pair. No pair of a row with itself is in it: 0 is free.
type pairs struct {
	slots []uint64
	len   int
}

// mostPairs is how many pairs the table keeps: 4 GB. Later ones are not kept, and
// compared again when they are met again.
const mostPairs = 1 << 28

func newPairs() *pairs { return &pairs{slots: make([]uint64, 1<<16)} }

// add puts a pair into the set and reports whether it was new.
func (p *pairs) add(a, b uint32) bool {
	if a > b {
		a, b = b, a
	}
	pair := uint64(a)<<32 | uint64(b)
	if p.len >= mostPairs-1 {
		return !p.has(pair)
	}
	if !p.put(pair) {
		return false
	}
	if p.len++; 2*p.len > len(p.slots) {
		old := p.slots
		p.slots = make([]uint64, 2*len(old))
		for _, pair := range old {
			if pair != 0 {
				p.put(pair)
			}
		}
	}
	return true
}

// slotOf scatters pairs: the well mixed high bits of a product come first.
func slotOf(pair uint64) uint64 { return bits.ReverseBytes64(pair * 0x9e3779b97f4a7c15) }

func (p *pairs) has(pair uint64) bool {
	mask := uint64(len(p.slots) - 1)
	for i := slotOf(pair) & mask; p.slots[i] != 0; i = (i + 1) & mask {
		if p.slots[i] == pair {
			return true
		}
	}
	return false
}

func (p *pairs) put(pair uint64) bool {
	mask := uint64(len(p.slots) - 1)
	for i := slotOf(pair) & mask; ; i = (i + 1) & mask {
		switch p.slots[i] {
		case 0:
			p.slots[i] = pair
			return true
		case pair:
			return false
		}
	}
}

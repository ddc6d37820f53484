package cache

import "math/bits"

// blockDivisions is how many divisions stand together: the numbers of a place in half a
// cache line.
const blockDivisions = 8

// SharedLeaf holds the leaf numbers of every place in the divisions so far.
// Seen may be called from several goroutines between calls of Add.
type SharedLeaf struct {
	n         int
	divisions int
	blocks    [][]uint32 // of 8 divisions: block[8*place+division%8]
}

// NewSharedLeaf returns a cache for n places with no divisions.
func NewSharedLeaf(n int) *SharedLeaf { return &SharedLeaf{n: n} }

// Bytes is the memory held: 32 bytes a place for every eight divisions, or fewer.
func (c *SharedLeaf) Bytes() int64 { return 4 * int64(blockDivisions*c.n*len(c.blocks)) }

// Add appends a division's leaf numbers, labels[place] = leaf.
func (c *SharedLeaf) Add(labels []uint32) {
	at := c.divisions % blockDivisions
	if at == 0 {
		c.blocks = append(c.blocks, make([]uint32, blockDivisions*c.n))
	}
	block := c.blocks[len(c.blocks)-1]
	for p, leaf := range labels {
		block[p*blockDivisions+at] = leaf
	}
	c.divisions++
}

// A Bitmap is a square matrix of bits over the positions of a leaf. It holds
// buffers: one per goroutine.
type Bitmap struct {
	Bits  []uint64 // row i is Bits[i*Words:(i+1)*Words]
	Words int
	mask  []uint64
	slots []group
	next  []int32
}

// group is a chain of positions that share a label.
type group struct {
	label uint32
	head  int32 // -1: the slot is free
}

// Seen sets bit (i, j) of b for all positions i, j of places that have shared a
// leaf (the diagonal means nothing), and returns how many unordered pairs those are.
//
// A division costs one pass: positions are chained by label in a small table,
// and each chain of two or more is or-ed into the rows of its members, 64 pairs
// at a time. Testing the pairs one by one costs some twenty times as much.
func (c *SharedLeaf) Seen(places []uint32, b *Bitmap) (pairs int64) {
	b.reset(len(places))
	for m := range c.divisions {
		c.chain(places, m, b)
		for i := range b.slots {
			if head := b.slots[i].head; head >= 0 && b.next[head] >= 0 {
				b.join(head)
			}
		}
	}
	for i := range places {
		count := 0
		for _, w := range b.Bits[i*b.Words : (i+1)*b.Words] {
			count += bits.OnesCount64(w)
		}
		if count > 0 {
			pairs += int64(count - 1)
		}
	}
	return pairs / 2
}

// chain groups the positions by their label in division m.
func (c *SharedLeaf) chain(places []uint32, m int, b *Bitmap) {
	for i := range b.slots {
		b.slots[i].head = -1
	}
	wrap := uint32(len(b.slots) - 1)
	block, m := c.blocks[m/blockDivisions], m%blockDivisions
	for i, p := range places {
		label := block[int(p)*blockDivisions+m]
		at := label * 0x9e3779b1 >> 16 & wrap
		for b.slots[at].head >= 0 && b.slots[at].label != label {
			at = (at + 1) & wrap
		}
		b.next[i] = b.slots[at].head
		b.slots[at] = group{label, int32(i)}
	}
}

// join marks all pairs of one chain.
func (b *Bitmap) join(head int32) {
	clear(b.mask)
	for i := head; i >= 0; i = b.next[i] {
		b.mask[i/64] |= 1 << (i % 64)
	}
	for i := head; i >= 0; i = b.next[i] {
		row := b.Bits[int(i)*b.Words : (int(i)+1)*b.Words]
		for w, m := range b.mask {
			row[w] |= m
		}
	}
}

func (b *Bitmap) reset(n int) {
	b.Words = (n + 63) / 64
	b.Bits = grown(b.Bits, n*b.Words)
	clear(b.Bits)
	b.mask = grown(b.mask, b.Words)
	b.next = grown(b.next, n)
	b.slots = grown(b.slots, 1<<bits.Len(uint(2*n)))
}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

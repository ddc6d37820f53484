package catalog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
)

// IDsPerBlock is the number of ids in a block, which is also a value under the tag of ids in
// the database: for each id, its length as a uvarint and its text.
const IDsPerBlock = 64

var errDamagedIDs = errors.New("damaged ids")

// NextID splits the first id off a block.
func NextID(block []byte) (id, rest []byte, err error) {
	n, size := binary.Uvarint(block)
	if size <= 0 || n > uint64(len(block)-size) {
		return nil, nil, errDamagedIDs
	}
	return block[size:][:n], block[size:][n:], nil
}

// IDAt returns id number i of a block.
func IDAt(block []byte, i int) (id []byte, err error) {
	for ; i >= 0; i-- {
		if id, block, err = NextID(block); err != nil {
			return nil, err
		}
	}
	return id, nil
}

// The index has an entry for each block, its offset and its checksum, and one for their end.
const entryBytes = 16

func blocksOf(ids int) int { return (ids + IDsPerBlock - 1) / IDsPerBlock }

func indexBytes(ids int) int {
	if ids == 0 {
		return 0
	}
	return entryBytes * (blocksOf(ids) + 1)
}

// ids are the blocks of ids by row.
type ids struct {
	index, text []byte
	verified    []atomic.Uint32 // a bit a block
}

func newIDs(index, text []byte, n int) (ids, error) {
	s := ids{index: index, text: text, verified: make([]atomic.Uint32, (blocksOf(n)+31)/32)}
	if n == 0 {
		if len(text) > 0 {
			return s, fmt.Errorf("%d bytes of ids, want none", len(text))
		}
		return s, nil
	}
	if end := le.Uint64(index[entryBytes*blocksOf(n):]); end != uint64(len(text)) {
		return s, fmt.Errorf("%d bytes of ids, want %d", len(text), end)
	}
	return s, nil
}

// at returns the id of a row in place.
func (s *ids) at(row int) ([]byte, error) {
	b := row / IDsPerBlock
	from, to := le.Uint64(s.index[entryBytes*b:]), le.Uint64(s.index[entryBytes*(b+1):])
	if from > to || to > uint64(len(s.text)) {
		return nil, fmt.Errorf("ids of rows %d on are at bytes %d to %d of %d", b*IDsPerBlock, from, to, len(s.text))
	}
	block := s.text[from:to]
	if s.verified[b/32].Load()>>(b%32)&1 == 0 {
		if got, want := sum(b, block), le.Uint64(s.index[entryBytes*b+8:]); got != want {
			return nil, fmt.Errorf("ids of rows %d on have checksum %016x, want %016x", b*IDsPerBlock, got, want)
		}
		s.verified[b/32].Or(1 << (b % 32))
	}
	return IDAt(block, row%IDsPerBlock)
}

// pages are an array of u32 in pages, each with its checksum at its end.
type pages struct {
	data     []byte
	verified []atomic.Uint32 // a bit a page
}

const perPage = (pageBytes - 8) / 4

func pagesOf(n int) int { return (n + perPage - 1) / perPage }

func newPages(data []byte, n int) pages {
	return pages{data[:pagesOf(n)*pageBytes], make([]atomic.Uint32, (pagesOf(n)+31)/32)}
}

// at returns number i of the array.
func (p *pages) at(i int) (uint32, error) {
	n := i / perPage
	page := p.data[n*pageBytes:][:pageBytes]
	if p.verified[n/32].Load()>>(n%32)&1 == 0 {
		if got, want := sum(n, page[:pageBytes-8]), le.Uint64(page[pageBytes-8:]); got != want {
			return 0, fmt.Errorf("numbers %d on have checksum %016x, want %016x", n*perPage, got, want)
		}
		p.verified[n/32].Or(1 << (n % 32))
	}
	return le.Uint32(page[4*(i%perPage):]), nil
}

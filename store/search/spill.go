package search

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// If arcs exceed the memory, they are distributed to a scratch file. Lists are then read twice, or, if places
// are scattered, distributed too.

// scratchFile is the file of a spill.
type scratchFile interface {
	io.ReaderAt
	io.WriterAt
	Abort() // removes it
}

// arcBytes is the size of an arc: u32 place, u32 place whose list it is in, incoming and its rank there; or,
// if places are scattered, u32 place, u32 place of an entry of its list, its rank.
const arcBytes = 9

// A spill holds the links into each range of places, grouped by the places they come from, as chunks of a
// file.
type spill struct {
	*maker
	file scratchFile
	size int // places of a range

	mu     sync.Mutex
	end    int64
	chunks [][]chunk // of each range, in any order
}

type chunk struct {
	at  int64
	n   int
	sum uint64
}

// A spiller distributes the lists that one goroutine reads. It holds a chunk of each range, and writes it
// when it is full.
type spiller struct {
	*spill
	bytes int // of a chunk
	bufs  [][]byte
}

// chunkBytes returns the size of a chunk. The chunks in progress, of all ranges and goroutines, take a
// quarter of the limit, but each at least a page of the disk.
func chunkBytes(limit int64, held int) int {
	return int(max(4<<10, min(256<<10, limit/4/int64(held)))) / arcBytes * arcBytes
}

func (m *maker) newSpill(file scratchFile, size int) *spill {
	return &spill{maker: m, file: file, size: size, chunks: make([][]chunk, (len(m.order)+size-1)/size)}
}

func (s *spill) newSpiller() *spiller {
	ranges := len(s.chunks)
	return &spiller{spill: s, bytes: chunkBytes(s.limit, ranges*max(1, s.threads)), bufs: make([][]byte, ranges)}
}

// distribute distributes the links.
func (m *maker) distribute(file scratchFile, size int) (*spill, error) {
	s := m.newSpill(file, size)
	_, each, _ := m.stepsOf()
	var mu sync.Mutex
	var all []*spiller
	err := m.eachList(func() func(int, []uint32) error {
		one := s.newSpiller()
		mu.Lock()
		defer mu.Unlock()
		all = append(all, one)
		return one.take
	}, func(places int) { m.tell(each * places) })
	for _, one := range all {
		if err == nil {
			err = one.flushAll()
		}
	}
	return s, err
}

// take takes the list of a place.
func (s *spiller) take(place int, list []uint32) error {
	for rank, to := range list {
		if to == noLink {
			continue
		}
		err := s.add(to, uint32(place), uint8(incoming+rank))
		if err == nil && s.scattered {
			err = s.add(uint32(place), to, uint8(rank))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *spiller) add(to, from uint32, rank uint8) error {
	number := int(to) / s.size
	buf := s.bufs[number]
	if buf == nil {
		buf = make([]byte, 0, s.bytes)
	}
	buf = binary.LittleEndian.AppendUint32(buf, to)
	buf = binary.LittleEndian.AppendUint32(buf, from)
	buf = append(buf, rank)
	s.bufs[number] = buf
	if len(buf) == s.bytes {
		return s.flush(number)
	}
	return nil
}

// flush writes the current chunk of a range.
func (s *spiller) flush(number int) error {
	buf := s.bufs[number]
	if len(buf) == 0 {
		return nil
	}
	sum := xxhash.Sum64(buf)
	s.mu.Lock()
	at := s.end
	s.end += int64(len(buf))
	s.chunks[number] = append(s.chunks[number], chunk{at, len(buf), sum})
	s.mu.Unlock()
	if _, err := s.file.WriteAt(buf, at); err != nil {
		return fmt.Errorf("search: links that come in: %w", err)
	}
	s.bufs[number] = buf[:0]
	return nil
}

// flushAll writes all current chunks, and frees their memory.
func (s *spiller) flushAll() error {
	for number := range s.bufs {
		if err := s.flush(number); err != nil {
			return err
		}
	}
	s.bufs = nil
	return nil
}

// arcsOf reads the chunks of a range.
func (s *spill) arcsOf(from int, take func([]arc)) error {
	var buf []byte
	var arcs []arc
	for _, c := range s.chunks[from/s.size] {
		buf, arcs = sized(buf, c.n), arcs[:0]
		if _, err := s.file.ReadAt(buf, c.at); err != nil {
			return fmt.Errorf("search: links that come in, byte %d: %w", c.at, err)
		}
		if xxhash.Sum64(buf) != c.sum {
			return fmt.Errorf("search: links that come in, bytes %d to %d of a scratch file, are not those that were written", c.at, c.at+int64(c.n))
		}
		for b := buf; len(b) > 0; b = b[arcBytes:] {
			to := int(binary.LittleEndian.Uint32(b)) - from
			arcs = append(arcs, arcOf(to, binary.LittleEndian.Uint32(b[4:]), int(b[8])))
		}
		take(arcs)
	}
	return nil
}

func (s *spill) listOf(place int, reader *listReader) ([]uint32, error) {
	if s.scattered {
		return nil, nil
	}
	return reader.of(s.maker, place)
}

package search

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Where all ranges together take more memory than there is, the links that come into each
// are shared out to a scratch file first, so that the lists are read twice and not once for
// each range: 2,000,000 lists of 10 under 192 MiB, page cache and all, were read 26 times.

// scratchFile is where a spill stands.
type scratchFile interface {
	io.ReaderAt
	io.WriterAt
	Abort() // removes it
}

// arcBytes is a link that comes in: u32 place, u32 place whose list it is in, its rank there.
const arcBytes = 9

// A spill holds the links that come into each range of places, by the places that they come
// from.
type spill struct {
	file   scratchFile
	size   int // places of a range
	end    int64
	ranges []spilled
}

// spilled are the links into one range: chunks that are in the file, and one under way.
type spilled struct {
	chunks []chunk
	buf    []byte
}

type chunk struct {
	at  int64
	n   int
	sum uint64
}

// chunkBytes returns the bytes of a chunk: so many that those under way, of all ranges, take a
// quarter of the limit, and no less than a page of the disk.
func chunkBytes(limit int64, ranges int) int {
	return int(max(4<<10, min(256<<10, limit/4/int64(ranges)))) / arcBytes * arcBytes
}

// distribute shares the links out.
func (m *maker) distribute(file scratchFile, size int) (*spill, error) {
	s := &spill{file: file, size: size, ranges: make([]spilled, (len(m.order)+size-1)/size)}
	bytes := chunkBytes(m.limit, len(s.ranges))
	err := vectors.Guard(func() (err error) {
		var row []uint32
		var keys []float32
		for place := range m.order {
			if place%4096 == 0 && m.ctx.Err() != nil {
				return m.ctx.Err()
			}
			if row, keys, err = m.g.Keyed(store.Row(m.order[place]), row, keys); err != nil {
				return err
			}
			for rank, listed := range row[:min(len(row), m.listed)] {
				to := m.placeOf[listed]
				if to == noLink {
					continue
				}
				if err := s.add(to, uint32(place), uint8(rank), bytes); err != nil {
					return err
				}
			}
		}
		for i := range s.ranges {
			if err := s.flush(&s.ranges[i]); err != nil {
				return err
			}
			s.ranges[i].buf = nil
		}
		return nil
	})
	return s, err
}

func (s *spill) add(to, from uint32, rank uint8, bytes int) error {
	r := &s.ranges[int(to)/s.size]
	if r.buf == nil {
		r.buf = make([]byte, 0, bytes)
	}
	r.buf = binary.LittleEndian.AppendUint32(r.buf, to)
	r.buf = binary.LittleEndian.AppendUint32(r.buf, from)
	r.buf = append(r.buf, rank)
	if len(r.buf) == cap(r.buf) {
		return s.flush(r)
	}
	return nil
}

func (s *spill) flush(r *spilled) error {
	if len(r.buf) == 0 {
		return nil
	}
	if _, err := s.file.WriteAt(r.buf, s.end); err != nil {
		return fmt.Errorf("search: links that come in: %w", err)
	}
	r.chunks = append(r.chunks, chunk{s.end, len(r.buf), xxhash.Sum64(r.buf)})
	s.end += int64(len(r.buf))
	r.buf = r.buf[:0]
	return nil
}

// each calls fn for the links that come into a range, in the order in which they were added.
// buf is room for a chunk, and is returned.
func (s *spill) each(number int, buf []byte, fn func(to, from uint32, rank uint8)) ([]byte, error) {
	for _, c := range s.ranges[number].chunks {
		buf = sized(buf, c.n)
		if _, err := s.file.ReadAt(buf, c.at); err != nil {
			return buf, fmt.Errorf("search: links that come in, byte %d: %w", c.at, err)
		}
		if xxhash.Sum64(buf) != c.sum {
			return buf, fmt.Errorf("search: links that come in, bytes %d to %d of a scratch file, are not those that were written", c.at, c.at+int64(c.n))
		}
		for b := buf; len(b) > 0; b = b[arcBytes:] {
			fn(binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), b[8])
		}
	}
	return buf, nil
}

package search

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/vectors"
)

// Where arcs take more memory than there is, they are shared out to a scratch file: then lists
// are read twice.

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
	*maker
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
	s := &spill{maker: m, file: file, size: size, ranges: make([]spilled, (len(m.order)+size-1)/size)}
	bytes := chunkBytes(m.limit, len(s.ranges))
	err := vectors.Guard(func() (err error) {
		var reader listReader
		const step = 4096
		_, each, _ := m.stepsOf()
		for place := range m.order {
			if place%step == 0 && m.ctx.Err() != nil {
				return m.ctx.Err()
			}
			list, err := reader.of(m, place)
			if err != nil {
				return err
			}
			for rank, to := range list {
				if to == noLink {
					continue
				}
				if err := s.add(to, uint32(place), uint8(rank), bytes); err != nil {
					return err
				}
			}
			if done := place + 1; done%step == 0 || done == len(m.order) {
				m.tell(each * ((done-1)%step + 1))
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

// arcsOf reads the chunks of a range.
func (s *spill) arcsOf(from int, take func([]arc)) error {
	var buf []byte
	var arcs []arc
	for _, c := range s.ranges[from/s.size].chunks {
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
	return reader.of(s.maker, place)
}

package explore

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/knng/knng/store"
)

// The map of a graph is kept as DIR/map, which may be deleted: magic, the graph's
// checksum (64 hex digits), u32 number of points, then u32 rows, u16 x and u16 y of all
// points, and a CRC-32 of all before it; little-endian.
const mapMagic = "KNNGMAP2"

// points are those of a map: row, and position from 0 to 65535.
type points struct {
	rows []uint32
	x, y []uint16
}

// mapOf reads the map of a store, or makes and keeps it. Where the folder cannot be
// written, or the graph was written to, the map is made each time.
func mapOf(ctx context.Context, g Graph, most int, told func(share float64)) (*points, error) {
	if p := readMap(g); p != nil {
		return p, nil
	}
	rows, pairs, err := sampled(ctx, g, most)
	if err != nil {
		return nil, err
	}
	l, err := newLayout(ctx, len(rows), pairs, 1, told)
	if err != nil {
		return nil, err
	}
	p := &points{rows: rows, x: scaled(l.x), y: scaled(l.y)}
	_ = p.keep(g) // a map that cannot be kept is made again
	return p, nil
}

// scaled maps values to 0 to 65535. The middle nine tenths have two thirds of that, in proportion.
// Those beyond, islands of some rows mostly, come ever nearer to the border the farther they are,
// so that they do not make all others small.
func scaled(values []float32) []uint16 {
	out := make([]uint16, len(values))
	if len(values) == 0 {
		return out
	}
	sorted := slices.Sorted(slices.Values(values))
	cut := len(sorted) / 20
	low, high := float64(sorted[cut]), float64(sorted[len(sorted)-1-cut])
	middle, half := (low+high)/2, max((high-low)/2, 1e-9)
	for i, v := range values {
		at := (float64(v) - middle) / half
		if beyond := math.Abs(at) - 1; beyond > 0 {
			at = math.Copysign(1+beyond/(1+2*beyond), at) // at most 1.5
		}
		out[i] = uint16((at/1.5 + 1) / 2 * math.MaxUint16)
	}
	return out
}

// bytes is the file without its checksum.
func (p *points) bytes(checksum string) []byte {
	b := append([]byte(mapMagic), checksum...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.rows)))
	for _, row := range p.rows {
		b = binary.LittleEndian.AppendUint32(b, row)
	}
	for _, axis := range [][]uint16{p.x, p.y} {
		for _, v := range axis {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
	}
	return b
}

func (p *points) keep(g Graph) error {
	s, ok := g.(*store.Store)
	if !ok {
		return nil
	}
	f, err := s.MakeDerived(store.DerivedMap)
	if err != nil {
		return err
	}
	defer f.Abort()
	b := p.bytes(g.Info().Checksum)
	if _, err := f.Write(binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))); err != nil {
		return err
	}
	return f.Commit()
}

// readMap returns the map in a file; nil where there is none, or not a whole one of
// this graph.
func readMap(g Graph) *points {
	s, ok := g.(*store.Store)
	if !ok {
		return nil
	}
	f, err := s.OpenDerived(store.DerivedMap)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1<<20+8*mapRows))
	head := len(mapMagic) + len(g.Info().Checksum)
	if err != nil || len(b) < head+8 || string(b[:head]) != mapMagic+g.Info().Checksum {
		return nil
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	n := int(binary.LittleEndian.Uint32(b[head:]))
	if crc32.ChecksumIEEE(body) != sum || n > mapRows || len(body) != head+4+8*n {
		return nil
	}
	return decodePoints(body[head+4:], n, g.Len())
}

// decodePoints returns nil where a point is of no row.
func decodePoints(b []byte, n, rows int) *points {
	p := &points{rows: make([]uint32, n), x: make([]uint16, n), y: make([]uint16, n)}
	for i := range n {
		p.rows[i] = binary.LittleEndian.Uint32(b[4*i:])
		p.x[i] = binary.LittleEndian.Uint16(b[4*n+2*i:])
		p.y[i] = binary.LittleEndian.Uint16(b[6*n+2*i:])
		if int(p.rows[i]) >= rows {
			return nil
		}
	}
	return p
}

package layer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cespare/xxhash/v2"
)

// The file of a layer: "KNNGLAYR", u32 version 1, u32 positions of the base, rows and operation, u32 anchors
// of the rows, the lists, the controls, and the xxhash64 of all that. Lists are u32 number of lists, u32
// number of entries, then refs, horizons, ends, entries and keys, 4 bytes each.
const (
	magic   = "KNNGLAYR"
	version = 1
	head    = 8 + 4*4
)

// Encode returns the file.
func (l *Layer) Encode() []byte {
	b := append(make([]byte, 0, l.size()), magic...)
	b = words(b, []uint32{version, l.Base, l.Rows, l.Op})
	b = words(b, l.Anchors)
	b = l.Controls.encode(l.Lists.encode(b))
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

func (l *Layer) size() int { return head + 4*len(l.Anchors) + l.Lists.size() + l.Controls.size() + 8 }

func (l *Lists) size() int { return 8 + 12*len(l.Refs) + 8*len(l.To) }

func (l *Lists) encode(b []byte) []byte {
	b = words(b, []uint32{uint32(len(l.Refs)), uint32(len(l.To))})
	b = floats(words(b, l.Refs), l.Horizons)
	return floats(words(words(b, l.Ends), l.To), l.Keys)
}

func words(b []byte, all []uint32) []byte {
	for _, x := range all {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func floats(b []byte, all []float32) []byte {
	for _, x := range all {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Decode reads a file. With any contents, the layer that it returns is valid for a base of so many positions;
// the caller checks the number of rows.
func Decode(b []byte, base uint32) (*Layer, error) {
	if len(b) < head+8 || string(b[:8]) != magic {
		return nil, fmt.Errorf("%d bytes, or another beginning than %q", len(b), magic)
	}
	end := len(b) - 8
	if got, want := binary.LittleEndian.Uint64(b[end:]), xxhash.Sum64(b[:end]); got != want {
		return nil, fmt.Errorf("byte %d: the hash is %016x, want %016x", end, got, want)
	}
	d := decoder{b: b[:end], at: 8}
	h := d.words(4)
	l := &Layer{Base: h[1], Rows: h[2], Op: h[3]}
	if h[0] != version || l.Base != base || uint64(l.Base)+uint64(l.Rows) >= uint64(NoRef) {
		return nil, fmt.Errorf("byte 8: version %d, %d positions and %d rows, want version %d and %d positions", h[0], l.Base, l.Rows, version, base)
	}
	l.Anchors = d.words(int(l.Rows))
	l.Lists, l.Controls = d.lists(l.Base+l.Rows), d.lists(l.Base+l.Rows)
	for row, at := range l.Anchors {
		if at != NoRef && at >= l.Base+l.Rows {
			d.fail(fmt.Errorf("anchor of row %d is %d", row, at))
		}
	}
	if d.err == nil && d.at != end {
		d.fail(errors.New("bytes are left over"))
	}
	if d.err != nil {
		return nil, d.err
	}
	l.Link()
	return l, nil
}

// A decoder reads words until it fails.
type decoder struct {
	b   []byte
	at  int
	err error
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = fmt.Errorf("byte %d: %w", d.at, err)
	}
}

func (d *decoder) words(n int) []uint32 {
	if d.err == nil && n > (len(d.b)-d.at)/4 {
		d.fail(fmt.Errorf("%d words, but %d bytes are left", n, len(d.b)-d.at))
	}
	if d.err != nil {
		return nil
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(d.b[d.at:])
		d.at += 4
	}
	return out
}

func (d *decoder) floats(n int) []float32 {
	out := make([]float32, 0, min(n, len(d.b)/4))
	for _, x := range d.words(n) {
		out = append(out, math.Float32frombits(x))
	}
	return out
}

// lists reads lists of refs below limit.
func (d *decoder) lists(limit uint32) (l Lists) {
	h := d.words(2)
	if d.err != nil {
		return l
	}
	n, entries := int(h[0]), int(h[1])
	l = Lists{d.words(n), d.floats(n), d.words(n), d.words(entries), d.floats(entries)}
	if d.err == nil {
		if err := l.check(limit); err != nil {
			d.fail(err)
		}
	}
	return l
}

func (l *Lists) check(limit uint32) error {
	from := uint32(0)
	for i, ref := range l.Refs {
		if i > 0 && ref <= l.Refs[i-1] || ref >= limit || l.Ends[i] < from || l.Ends[i] > uint32(len(l.To)) || l.Horizons[i] != l.Horizons[i] {
			return fmt.Errorf("list %d is of %d, to %d, horizon %v", i, ref, l.Ends[i], l.Horizons[i])
		}
		from = l.Ends[i]
	}
	if from != uint32(len(l.To)) {
		return fmt.Errorf("the lists end at %d of %d entries", from, len(l.To))
	}
	for i, to := range l.To {
		if to >= limit || l.Keys[i] != l.Keys[i] {
			return fmt.Errorf("entry %d is %d at %v", i, to, l.Keys[i])
		}
	}
	return nil
}

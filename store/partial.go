package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Partial lists of a build are written and read once or twice, and take most of its disk.
// They are kept small: places in as many bits as they need, and a
// list's keys, which ascend and are often whole numbers, as differences of their bits,
// in as many bits as the largest of the list needs. An entry of 8 bytes takes 5 to 6.
// All widths are known before a number is read: varints, which branch on every byte,
// took five times as long. The format is in the package comment.

// partialForm begins the value of partial lists. Blocks of before there were forms begin
// with the number of their rows, which is not 0.
const partialForm = 0

// errOldForm refuses to resume a build that an older version began.
var errOldForm = errors.New("the build was begun by an older knng, whose partial lists have another form: it has to begin anew, in another directory or with this one deleted")

// knownForm refuses partial lists of another form, by the first of each kind.
func (e *engine) knownForm() error {
	for _, tag := range []byte{tagBlock, tagFolded} {
		err := e.scan([]byte{tag}, func(_, value []byte) error {
			if len(value) > 0 && value[0] != partialForm {
				return errOldForm
			}
			return errEnough
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	return nil
}

// errEnough ends a scan early.
var errEnough = errors.New("enough")

// appendLists encodes partial lists. Places ascend strictly.
func appendLists(dst []byte, l *Lists) ([]byte, error) {
	width, packing := uint(max(1, bits.Len32(maxOf(l.Neighbors)))), packingOf(l.Keys)
	dst = binary.AppendUvarint(append(dst, partialForm), uint64(len(l.Rows)))
	dst = append(dst, byte(width), packing.code())
	before := uint32(0)
	for i, place := range l.Rows {
		if i > 0 && place <= before {
			return dst, fmt.Errorf("store: place %d after %d in a block", place, before)
		}
		dst = binary.AppendUvarint(dst, uint64(place-before))
		dst = binary.AppendUvarint(dst, uint64(l.Starts[i+1]-l.Starts[i]))
		before = place
	}
	w := bitWriter{data: dst}
	for _, n := range l.Neighbors {
		w.add(n, width)
	}
	for i := range l.Rows {
		packing.append(&w, l.Keys[l.Starts[i]:l.Starts[i+1]])
	}
	return w.end(), nil
}

// decodeLists is the inverse of appendLists, into l.
func decodeLists(data []byte, l *Lists) error {
	l.Reset()
	if len(data) > 0 && data[0] != partialForm {
		return errOldForm
	}
	d := decoder{data: data}
	d.byte()
	rows := d.uvarint()
	width, packing := uint(d.byte()), keyPackingOf(d.byte())
	if d.bad || rows > uint64(len(d.data)) || width < 1 || width > 32 { // a row takes two bytes at least
		return fmt.Errorf("%d rows, places of %d bits, in %d bytes", rows, width, len(data))
	}
	if err := d.rowTable(int(rows), l); err != nil {
		return err
	}
	entries := int(l.Starts[rows])
	r := bitReader{data: d.data}
	if !r.has(uint64(entries) * uint64(width)) {
		return fmt.Errorf("%d bytes for %d places of %d bits", len(d.data), entries, width)
	}
	l.Neighbors = slices.Grow(l.Neighbors, entries)[:entries]
	r.fill(l.Neighbors, width)
	l.Keys = slices.Grow(l.Keys, entries)[:entries]
	for i, place := range l.Rows {
		if !packing.decode(&r, l.Keys[l.Starts[i]:l.Starts[i+1]]) {
			return fmt.Errorf("keys damaged at place %d", place)
		}
	}
	if left := len(d.data) - int(r.at+7)/8; left != bitPadding {
		return fmt.Errorf("%d bytes behind the last key, want %d", left, bitPadding)
	}
	return nil
}

// rowTable decodes the places of lists and how many entries each has.
func (d *decoder) rowTable(rows int, l *Lists) error {
	var place, entries uint64
	most := min(8*uint64(len(d.data)), math.MaxUint32) // an entry takes a bit at least
	for i := range rows {
		step, count := d.uvarint(), d.uvarint()
		if i > 0 && step == 0 && !d.bad {
			return fmt.Errorf("place %d twice", place)
		}
		place += step
		entries += count
		if d.bad || step > math.MaxUint32 || place > math.MaxUint32 || count > most || entries > most {
			return fmt.Errorf("row table damaged at row %d of %d", i, rows)
		}
		l.Rows = append(l.Rows, uint32(place))
		l.Starts = append(l.Starts, uint32(entries))
	}
	return nil
}

func maxOf(numbers []uint32) (largest uint32) {
	for _, n := range numbers {
		largest = max(largest, n)
	}
	return largest
}

// keyPacking is how the keys of a block are written: as the bits of a float32 without
// the last zeros that all have in common, the first of a list whole and the others as
// differences from the one before. Bits of negative numbers grow as the numbers fall.
type keyPacking struct {
	zeros uint // 0 to 31
	falls bool // steps are counted down
}

func packingOf(keys []float32) keyPacking {
	var all, signs uint32
	for _, key := range keys {
		all |= math.Float32bits(key)
		signs += math.Float32bits(key) >> 31
	}
	return keyPacking{zeros: uint(min(bits.TrailingZeros32(all), 31)), falls: int(signs) > len(keys)/2}
}

// fallsBit is the bit of a packing's code that says that steps are counted down.
const fallsBit = 1 << 5

func (p keyPacking) code() byte {
	if p.falls {
		return byte(p.zeros) | fallsBit
	}
	return byte(p.zeros)
}

func keyPackingOf(code byte) keyPacking {
	return keyPacking{zeros: uint(code % fallsBit), falls: code&fallsBit != 0}
}

// first is the width of a list's first key.
func (p keyPacking) first() uint { return 32 - p.zeros }

// sign is 1 where steps are added, else -1.
func (p keyPacking) sign() uint32 {
	if p.falls {
		return math.MaxUint32
	}
	return 1
}

// stepBits is the width of the field with the width of the steps of a list: 0 to 32.
const stepBits = 6

func (p keyPacking) append(w *bitWriter, keys []float32) {
	if len(keys) == 0 {
		return
	}
	first := math.Float32bits(keys[0]) >> p.zeros
	w.add(first, p.first())
	if len(keys) == 1 {
		return
	}
	sign, before, all := p.sign(), first, uint32(0)
	for _, key := range keys[1:] {
		word := math.Float32bits(key) >> p.zeros
		all |= sign * (word - before)
		before = word
	}
	width := uint(bits.Len32(all))
	w.add(uint32(width), stepBits)
	before = first
	for _, key := range keys[1:] {
		word := math.Float32bits(key) >> p.zeros
		w.add(sign*(word-before), width)
		before = word
	}
}

// decode is the inverse of append, into keys. It reports whether they were there.
func (p keyPacking) decode(r *bitReader, keys []float32) bool {
	if len(keys) == 0 {
		return true
	}
	if !r.has(uint64(p.first())) {
		return false
	}
	zeros, word := p.zeros, r.next(p.first())
	keys[0] = math.Float32frombits(word << zeros)
	if len(keys) == 1 {
		return true
	}
	width := uint(r.next(stepBits)) // of the padding, at worst
	if width > 32 || !r.has(uint64(len(keys)-1)*uint64(width)) {
		return false
	}
	data, at, mask, sign := r.data, r.at, maskOf(width), p.sign()
	for i := range keys[1:] {
		step := uint32(binary.LittleEndian.Uint64(data[at/8:at/8+8])>>(at%8)) & mask
		at += uint64(width)
		word += sign * step
		keys[i+1] = math.Float32frombits(word << zeros)
	}
	r.at = at
	return true
}

// bitPadding is how many bytes follow packed bits, so that eight can be read where one
// is wanted.
const bitPadding = 8

// bitWriter packs numbers, the first into the lowest bits.
type bitWriter struct {
	data    []byte
	waiting uint64
	have    uint
}

// add appends a number of width bits, at most 32.
func (w *bitWriter) add(n uint32, width uint) {
	w.waiting |= uint64(n) << w.have
	if w.have += width; w.have >= 32 {
		w.data = binary.LittleEndian.AppendUint32(w.data, uint32(w.waiting))
		w.waiting >>= 32
		w.have -= 32
	}
}

// end returns the data, with the bits that were waiting and the padding.
func (w *bitWriter) end() []byte {
	var rest [4 + bitPadding]byte
	binary.LittleEndian.PutUint32(rest[:], uint32(w.waiting))
	return append(w.data, rest[:(w.have+7)/8+bitPadding]...)
}

// bitReader reads the numbers that a bitWriter packed.
type bitReader struct {
	data []byte
	at   uint64 // bit
}

// has reports whether so many bits more are there, and the padding.
func (r *bitReader) has(bits uint64) bool {
	return (r.at+bits+7)/8+bitPadding <= uint64(len(r.data))
}

func (r *bitReader) next(width uint) uint32 {
	var number [1]uint32
	r.fill(number[:], width)
	return number[0]
}

// fill reads numbers of width bits, at most 32.
func (r *bitReader) fill(numbers []uint32, width uint) {
	data, at, mask := r.data, r.at, maskOf(width)
	for i := range numbers {
		numbers[i] = uint32(binary.LittleEndian.Uint64(data[at/8:at/8+8])>>(at%8)) & mask
		at += uint64(width)
	}
	r.at = at
}

// maskOf has width bits set.
func maskOf(width uint) uint32 { return uint32(1<<width - 1) }

// decoder reads bytes and varints and remembers whether one was not there or damaged.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) byte() byte {
	if len(d.data) == 0 {
		d.bad = true
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Integers in bulk, the locality order and leaf numbers, stand 4096 to a key.
const integersPerKey = 4096

// setIntegers writes values under (prefix..., position of the first).
func (b *bulk) setIntegers(values []uint32, key func(first uint32) []byte) error {
	var buf []byte
	first := uint32(0)
	for part := range slices.Chunk(values, integersPerKey) {
		buf = buf[:0]
		for _, v := range part {
			buf = binary.LittleEndian.AppendUint32(buf, v)
		}
		if err := b.set(key(first), buf); err != nil {
			return err
		}
		first += uint32(len(part))
	}
	return nil
}

// eachInteger calls fn with the values that setIntegers wrote and their positions, and ends
// with the error of ctx.
func (e *engine) eachInteger(ctx context.Context, prefix []byte, fn func(i int, v uint32) error) error {
	next := 0
	return e.scanUnder(ctx, prefix, func(key, value []byte) error {
		if len(value)%4 != 0 || len(value) > 4*integersPerKey {
			return corrupt(key, fmt.Errorf("%d bytes of integers", len(value)))
		}
		if len(key) != len(prefix)+4 {
			return corrupt(key, errors.New("a key of integers of another length"))
		}
		if first := binary.BigEndian.Uint32(key[len(prefix):]); int64(first) != int64(next) {
			return corrupt(key, fmt.Errorf("integers from %d, want %d", first, next))
		}
		for i := 0; i < len(value); i += 4 {
			if err := fn(next, binary.LittleEndian.Uint32(value[i:])); err != nil {
				return err
			}
			next++
		}
		return nil
	})
}

// integers appends the values that setIntegers wrote to dst.
func (e *engine) integers(prefix []byte, dst []uint32) ([]uint32, error) {
	err := e.eachInteger(context.Background(), prefix, func(_ int, v uint32) error {
		dst = append(dst, v)
		return nil
	})
	return dst, err
}

// CommitOrder stores the locality order: order[place] = row. Rows are distinct;
// a row that is not there has no place and no list.
func (d *Draft) CommitOrder(order []uint32) (err error) {
	b := newBulk(d)
	defer b.abort()
	if err := d.engine.exciseLeft(key32(tagOrder), []byte{tagOrder + 1}); err != nil {
		return err
	}
	if err := b.setIntegers(order, func(first uint32) []byte { return key32(tagOrder, first) }); err != nil {
		return err
	}
	if err := b.commit(); err != nil {
		return err
	}
	return d.Record("order", len(order))
}

// Order reads the locality order; it is nil where none was committed.
func (d *Draft) Order() (order []uint32, err error) {
	return d.engine.order()
}

func (e *engine) order() ([]uint32, error) {
	var n int
	if ok, err := e.load("order", &n); err != nil || !ok {
		return nil, err
	}
	order, err := e.integers(key32(tagOrder), make([]uint32, 0, max(0, min(n, 1<<24)))) // more only where they are there
	if err == nil && len(order) != n {
		err = fmt.Errorf("%w: order of %d places, want %d", ErrCorrupt, len(order), n)
	}
	return order, err
}

// CommitLabels stores a division's leaf numbers, labels[place] = leaf, together
// with a small JSON note.
func (d *Draft) CommitLabels(division uint32, labels []uint32, note any) (err error) {
	value, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("store: division note: %w", err)
	}
	if err := d.engine.exciseLeft(key32(tagLabels, division), key32(tagLabels, division+1)); err != nil {
		return err
	}
	b := newBulk(d)
	defer b.abort()
	if err := b.setIntegers(labels, func(first uint32) []byte { return key32(tagLabels, division, first) }); err != nil {
		return err
	}
	if err := b.commit(); err != nil {
		return err
	}
	if err := d.engine.set(recordKey(divisionRecord(division)), value); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

func divisionRecord(division uint32) string { return fmt.Sprintf("division/%d", division) }

// Labels reads leaf numbers back, reusing dst, and the note into v where v is
// not nil; ok is false where there are none.
func (d *Draft) Labels(division uint32, dst []uint32, v any) (labels []uint32, ok bool, err error) {
	var note json.RawMessage
	if ok, err = d.Load(divisionRecord(division), &note); err != nil || !ok {
		return nil, false, err
	}
	if v != nil {
		if err := json.Unmarshal(note, v); err != nil {
			return nil, false, fmt.Errorf("%w: note of division %d: %w", ErrCorrupt, division, err)
		}
	}
	labels, err = d.engine.integers(key32(tagLabels, division), dst[:0])
	return labels, err == nil, err
}

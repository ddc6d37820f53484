package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/knng/knng/store/internal/block"
)

// A Shape describes the committed adjacency: Rows, isolated ones included, K, the length of
// a list, and Lists, the rows with a list.
type Shape = block.Shape

// reaches returns an error if the last list is not that of row rows-1. A damaged number of rows would
// make callers allocate too much.
func (e *engine) reaches(rows int) error {
	if rows == 0 {
		return nil
	}
	key := key64(nil, tagAdjacency, uint64(rows-1)/block.Rows)
	value, ok, err := e.get(key)
	if err != nil {
		return err
	}
	if want := (rows-1)%block.Rows + 1; !ok || len(value) == 0 || int(value[0]) != want {
		return corrupt(key, fmt.Errorf("no block of the last %d of %d rows", want, rows))
	}
	return nil
}

// CommitAdjacency writes the final lists. write is called once and calls add
// for rows 0, 1, 2, ... in turn: neighbors are input rows, sorted by
// (key, row). Every list has k entries or, for an isolated row, none.
func (d *Draft) CommitAdjacency(k int, write func(add func(neighbors []uint32, keys []float32) error) error) (err error) {
	if k < 0 || k > math.MaxUint16 {
		return fmt.Errorf("store: lists of %d, want 0 to %d", k, math.MaxUint16)
	}
	if err := d.engine.exciseLeft([]byte{tagAdjacency}, []byte{tagAdjacency + 1}); err != nil {
		return err
	}
	w := adjacencyWriter{blockWriter: newBlocks(d, tagAdjacency, block.OutCount), shape: Shape{K: k}}
	defer w.b.abort()
	if err := write(w.add); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	w.shape.Rows = w.rows
	return d.Record(block.ShapeRecord, w.shape)
}

// adjacencyWriter takes lists of one length.
type adjacencyWriter struct {
	*blockWriter
	shape Shape
}

func (w *adjacencyWriter) add(neighbors []uint32, keys []float32) error {
	if len(neighbors) != len(keys) || len(keys) != 0 && len(keys) != w.shape.K {
		return fmt.Errorf("store: row %d: %d neighbors and %d keys, want %d", w.rows, len(neighbors), len(keys), w.shape.K)
	}
	if len(neighbors) > 0 {
		w.shape.Lists++
	}
	return w.blockWriter.add(neighbors, keys)
}

// blockWriter gathers the lists of rows 0, 1, 2, ... into blocks under a tag.
type blockWriter struct {
	b     *bulk
	tag   byte
	rows  int
	block block.Builder
	key   []byte
	value []byte
}

func newBlocks(d *Draft, tag byte, countBytes int) *blockWriter {
	// Not compressed: of 1,000,000 lists of 20 Pebble's compression kept no block,
	// and views read values where they are.
	b := newBulk(d)
	b.plain = true
	return &blockWriter{b: b, tag: tag, block: block.Builder{CountBytes: countBytes}}
}

func (w *blockWriter) add(neighbors []uint32, keys []float32) error {
	w.block.Add(neighbors, keys)
	w.rows++
	if w.block.Len() == block.Rows {
		return w.flush()
	}
	return nil
}

func (w *blockWriter) flush() error {
	if w.block.Len() == 0 {
		return nil
	}
	w.key = key64(w.key, w.tag, uint64(w.rows-1)/block.Rows)
	w.value = w.block.AppendTo(w.value[:0])
	w.block.Reset()
	return w.b.set(w.key, w.value)
}

// commit ingests all blocks.
func (w *blockWriter) commit() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.b.commit()
}

// Adjacency returns the shape of the committed adjacency; ok is false before
// CommitAdjacency.
func (d *Draft) Adjacency() (shape Shape, ok bool, err error) {
	ok, err = d.Load(block.ShapeRecord, &shape)
	return shape, ok, err
}

// Checksum is the SHA-256 (hex) of the gt export of the committed adjacency:
// u32 n, u32 k, n*k int32 rows, n*k float32 keys, little-endian; lists of
// isolated rows are filled with -1 and +Inf. It ends with the error of ctx.
func (d *Draft) Checksum(ctx context.Context) (sum string, err error) {
	shape, ok, err := d.Adjacency()
	if err == nil && !ok {
		err = errors.New("store: no adjacency yet")
	}
	if err != nil {
		return "", err
	}
	return d.engine.checksum(shape, func(row int) error {
		if row%rowsPerLook != 0 {
			return nil
		}
		return ctx.Err()
	})
}

// checksum goes over the lists twice, and asks goOn before every row whether to go on.
func (e *engine) checksum(shape Shape, goOn func(row int) error) (string, error) {
	return checksumOf(shape, func(ofKeys bool, add func(list []byte)) error {
		return e.eachRow(shape, func(row int, neighbors, keys []byte) error {
			if err := goOn(row); err != nil {
				return err
			}
			if ofKeys {
				add(keys)
			} else {
				add(neighbors)
			}
			return nil
		})
	})
}

// checksumOf computes a checksum. each adds the encoded neighbors, or keys, of every row in order.
func checksumOf(shape Shape, each func(ofKeys bool, add func(list []byte)) error) (string, error) {
	h := sha256.New()
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:], uint32(shape.Rows))
	binary.LittleEndian.PutUint32(head[4:], uint32(shape.K))
	w := bufio.NewWriterSize(h, 1<<16) // list by list the hash would take its blocks one by one
	w.Write(head[:])                   // a hash takes everything
	for _, ofKeys := range []bool{false, true} {
		filler := binary.LittleEndian.AppendUint32(nil, math.MaxUint32)
		if ofKeys {
			filler = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.Inf(1))))
		}
		err := each(ofKeys, func(list []byte) {
			w.Write(list)
			for range shape.K - len(list)/4 {
				w.Write(filler)
			}
		})
		if err != nil {
			return "", err
		}
	}
	w.Flush()
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ChecksumOf returns the checksum that a store of these lists has (Draft.Checksum), for a caller that holds the
// lists. neighbors, and then keys, call add with those of every row, in order; isolated rows have empty lists.
// Errors: those of both functions.
func ChecksumOf(shape Shape, neighbors func(add func([]uint32)) error, keys func(add func([]float32)) error) (string, error) {
	var encoded []byte
	return checksumOf(shape, func(ofKeys bool, add func(list []byte)) error {
		if ofKeys {
			return keys(func(list []float32) {
				encoded = encoded[:0]
				for _, key := range list {
					encoded = binary.LittleEndian.AppendUint32(encoded, math.Float32bits(key))
				}
				add(encoded)
			})
		}
		return neighbors(func(list []uint32) {
			encoded = encoded[:0]
			for _, row := range list {
				encoded = binary.LittleEndian.AppendUint32(encoded, row)
			}
			add(encoded)
		})
	})
}

// eachRow calls fn with the encoded neighbors and keys of every row, in order.
func (e *engine) eachRow(shape Shape, fn func(row int, neighbors, keys []byte) error) error {
	return e.eachList(block.Out(shape), func(row int, neighbors, keys []byte) error {
		if len(neighbors) != 0 && len(neighbors) != 4*shape.K {
			return fmt.Errorf("%w: row %d has %d neighbors, want %d", ErrCorrupt, row, len(neighbors)/4, shape.K)
		}
		return fn(row, neighbors, keys)
	})
}

// eachList calls fn with the encoded list of every row of a layout, in order.
func (e *engine) eachList(of block.Layout, fn func(row int, neighbors, keys []byte) error) error {
	row := 0
	err := e.scan([]byte{of.Tag}, func(key, value []byte) error {
		if want := key64(nil, of.Tag, uint64(row)/block.Rows); string(want) != string(key) {
			return corrupt(key, fmt.Errorf("want the block of row %d", row))
		}
		for i := range min(block.Rows, of.Rows-row) {
			neighbors, keys, err := block.Row(value, i, of.CountBytes)
			if err != nil {
				return corrupt(key, err)
			}
			if err := fn(row, neighbors, keys); err != nil {
				return err
			}
			row++
		}
		return nil
	})
	if err == nil && row != of.Rows {
		err = fmt.Errorf("%w: lists of %d rows, want %d", ErrCorrupt, row, of.Rows)
	}
	return err
}

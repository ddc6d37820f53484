package refine

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// listFile is the lists of all places in a row file of the scratch folder,
// mapped: place p has as many entries as every other, neighbors (u32), then keys
// (f32). It is derived and written anew by every run.
type listFile struct {
	path string
	rows *vectors.Rows
	k    int
}

// entryBytes is the size of an entry of a list.
const entryBytes = 8

// writeLists makes a list file of n lists of k entries. write is called once
// and calls add for places 0, 1, 2, ... in turn.
func writeLists(path string, n, k int, write func(add func(neighbors []uint32, keys []float32) error) error) (*listFile, error) {
	w, err := vectors.CreateRows(path, n, entryBytes*k, vectors.Uint8)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	var buf []byte
	err = write(func(neighbors []uint32, keys []float32) error {
		if len(neighbors) != k || len(keys) != k {
			return fmt.Errorf("%w: a list of %d neighbors and %d keys, want %d", store.ErrCorrupt, len(neighbors), len(keys), k)
		}
		buf = buf[:0]
		for _, x := range neighbors {
			buf = binary.LittleEndian.AppendUint32(buf, x)
		}
		for _, key := range keys {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(key))
		}
		_, err := w.Write(buf)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := w.Commit(); err != nil {
		return nil, err
	}
	rows, err := vectors.OpenRows(path)
	if err != nil {
		return nil, err
	}
	return &listFile{path, rows, k}, nil
}

// remove gives its space back. The file must not be used afterwards.
func (f *listFile) remove() {
	f.rows.Close()
	_ = os.Remove(f.path)
}

// listReader reads lists one at a time, into its buffers: one per goroutine. It
// is a propagation.Lists.
type listReader struct {
	file      *listFile
	neighbors []uint32
	keys      []float32
}

func (f *listFile) reader() *listReader {
	return &listReader{f, make([]uint32, f.k), make([]float32, f.k)}
}

// List returns the list of a place, valid until the next call.
func (r *listReader) List(place uint32) (neighbors []uint32, keys []float32) {
	data := r.file.rows.Row(int(place))
	for i := range r.neighbors {
		r.neighbors[i] = binary.LittleEndian.Uint32(data)
		data = data[4:]
	}
	for i := range r.keys {
		r.keys[i] = math.Float32frombits(binary.LittleEndian.Uint32(data))
		data = data[4:]
	}
	return r.neighbors, r.keys
}

// scratch is the path of a scratch file.
func (r *run) scratch(name string) (string, error) {
	dir, err := r.Draft.ScratchDir()
	return filepath.Join(dir, name), err
}

// writeGiven writes the lists of G1 by place; neighbors are rows.
func (r *run) writeGiven() error {
	if r.K == 0 {
		return nil
	}
	path, err := r.scratch("given-lists")
	if err != nil {
		return err
	}
	p := r.Begin("lists", "rows", int64(r.N()))
	defer p.End("")
	var rows []uint32
	var keys []float32
	r.given, err = writeLists(path, r.N(), r.g1.K(), func(add func([]uint32, []float32) error) error {
		for place, row := range r.Order {
			if place%tick == 0 {
				p.Add(min(tick, r.N()-place))
				if err := r.Ctx.Err(); err != nil {
					return err
				}
			}
			if rows, keys, err = r.g1.Keyed(store.Row(row), rows, keys); err != nil {
				return err
			}
			for _, x := range rows {
				if r.placeOf[x] == noPlace {
					return fmt.Errorf("%w: row %d has neighbor %d, which has no list", store.ErrCorrupt, row, x)
				}
			}
			if err := add(rows, keys); err != nil {
				return fmt.Errorf("refine: row %d: %w", row, err)
			}
		}
		return nil
	})
	return err
}

// tick is how many rows pass between looks at the context.
const tick = 256

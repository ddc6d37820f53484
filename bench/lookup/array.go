package lookup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// WriteArray writes the lists of a store as an array: 8 bytes of header, rows and
// k as u32, then for each row k neighbors, u32, and their k distances, f32. Isolated
// rows have the row itself. Distances need no square root here either.
func WriteArray(dir, path string) (err error) {
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	w.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(s.Len())), uint32(s.K())))
	err = s.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		list := w.AvailableBuffer()
		for i := range s.K() {
			n := uint32(row)
			if len(neighbors) > 0 {
				n = neighbors[i]
			}
			list = binary.LittleEndian.AppendUint32(list, n)
		}
		for i := range s.K() {
			d := float32(0)
			if len(keys) > 0 {
				d = s.Shown(keys[i])
			}
			list = binary.LittleEndian.AppendUint32(list, math.Float32bits(d))
		}
		_, err := w.Write(list)
		return err
	})
	return errors.Join(err, w.Flush(), f.Sync())
}

// array is the file of WriteArray, mapped.
type array struct {
	file *vectors.MappedFile
	data []byte
	n, k int
}

func openArray(path string) (finder, error) {
	file, err := vectors.MapFile(path)
	if err != nil {
		return nil, err
	}
	file.Advise(vectors.Random)
	a := &array{file: file}
	if data := file.Bytes(); len(data) >= 8 {
		a.n, a.k = int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
		a.data = data[8:]
	}
	if len(a.data) != 8*a.n*a.k {
		return nil, errors.Join(fmt.Errorf("%s is no array of lists", path), file.Close())
	}
	return a, nil
}

func (a *array) Len() int     { return a.n }
func (a *array) K() int       { return a.k }
func (a *array) Close() error { return a.file.Close() }

// Neighbors decodes a list, as a store does, and checks nothing.
func (a *array) Neighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error) {
	list := a.data[8*a.k*int(row):][:8*a.k]
	neighbors, distances := list[:4*a.k], list[4*a.k:]
	buf = buf[:0]
	for i := 0; i < len(neighbors); i += 4 {
		buf = append(buf, store.Neighbor{
			Row:      store.Row(binary.LittleEndian.Uint32(neighbors[i:])),
			Distance: math.Float32frombits(binary.LittleEndian.Uint32(distances[i:])),
		})
	}
	return buf, nil
}

package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/knng/knng/store"
)

// Formats of fixed width. An isolated row is filled with -1 and +Inf.

func putUint32(w *bufio.Writer, v uint32) {
	w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), v))
}

// writeRows writes all neighbors as int32, row after row.
func (x *exporter) writeRows(w *bufio.Writer) error {
	return x.each(func(_ uint32, neighbors []uint32, _ []float32) error {
		for _, n := range neighbors {
			putUint32(w, n)
		}
		return x.fill(w, len(neighbors), math.MaxUint32) // -1
	})
}

// writeDistances writes all distances as float32, row after row.
func (x *exporter) writeDistances(w *bufio.Writer) error {
	return x.each(func(_ uint32, _ []uint32, distances []float32) error {
		for _, d := range distances {
			putUint32(w, math.Float32bits(d))
		}
		return x.fill(w, len(distances), math.Float32bits(float32(math.Inf(1))))
	})
}

func (x *exporter) fill(w *bufio.Writer, have int, v uint32) error {
	for range x.width() - have {
		putUint32(w, v)
	}
	return nil
}

// npy writes a directory of two arrays of shape (rows, width).
func (x *exporter) npy(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	for _, a := range []struct {
		name, descr string
		write       func(*bufio.Writer) error
	}{{"indices.npy", "<i4", x.writeRows}, {"distances.npy", "<f4", x.writeDistances}} {
		err := publish(filepath.Join(dir, a.name), func(w *bufio.Writer) error {
			w.Write(npyHeader(a.descr, x.Len(), x.width()))
			return a.write(w)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// npyHeader is the header of a version 1.0 .npy file in C order, a multiple of
// 64 bytes.
func npyHeader(descr string, shape ...int) []byte {
	dims := ""
	for _, n := range shape {
		dims += fmt.Sprintf("%d,", n)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	pad := 63 - (10+len(text))%64
	text += strings.Repeat(" ", pad) + "\n"
	h := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return append(h, text...)
}

// bin writes u32 rows, u32 width, and what body writes.
func (x *exporter) bin(w *bufio.Writer, body func(*bufio.Writer) error) error {
	putUint32(w, uint32(x.Len()))
	putUint32(w, uint32(x.width()))
	return body(w)
}

// gt writes big-ann ground truth: rows, then raw keys.
func (x *exporter) gt(w *bufio.Writer) error {
	if err := x.bin(w, x.writeRows); err != nil {
		return err
	}
	return x.EachKeyed(func(_ store.Row, _ []uint32, keys []float32) error {
		for _, key := range keys {
			putUint32(w, math.Float32bits(key))
		}
		return x.fill(w, len(keys), math.Float32bits(float32(math.Inf(1))))
	})
}

// ivecs writes the width before every row.
func (x *exporter) ivecs(w *bufio.Writer) error {
	return x.each(func(_ uint32, neighbors []uint32, _ []float32) error {
		putUint32(w, uint32(x.width()))
		for _, n := range neighbors {
			putUint32(w, n)
		}
		return x.fill(w, len(neighbors), math.MaxUint32)
	})
}

package export

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// npyHeader is the header of a .npy file, version 1.0, in C
// order; without a shape, of a scalar. It is a multiple of 64 bytes, so that
// mapped values are aligned.
func npyHeader(descr string, shape ...int) string {
	dims := ""
	for _, n := range shape {
		dims += fmt.Sprintf("%d,", n)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	const fixed = 10 // magic, version, length
	text += strings.Repeat(" ", 63-(fixed+len(text))%64) + "\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text
}

// integer is NumPy's name of the integers that putInt writes.
func integer(wide bool) string {
	if wide {
		return "<i8"
	}
	return "<i4"
}

// npz writes a CSR matrix in the members that scipy.sparse.load_npz reads. They
// are stored, not compressed: float32 distances hardly shrink, and NumPy reads
// stored ones at the speed of the disk.
func (x *exporter) npz(w *bufio.Writer) error {
	n, entries := x.Len(), 0
	err := x.each(func(_ uint32, neighbors []uint32, _ []float32) error {
		entries += len(neighbors)
		return nil
	})
	if err != nil {
		return err
	}
	// SciPy wants one type for both arrays of integers.
	wide := x.wide || entries > math.MaxInt32
	z := zip.NewWriter(w)
	for _, member := range []struct {
		name, header string
		write        func(w *bufio.Writer) error
	}{
		{"indices", npyHeader(integer(wide), entries), func(w *bufio.Writer) error { return x.columns(w, wide) }},
		{"indptr", npyHeader(integer(wide), n+1), func(w *bufio.Writer) error { return x.ends(w, wide) }},
		{"format", npyHeader("|S3"), func(w *bufio.Writer) error { return text(w, "csr") }},
		{"shape", npyHeader("<i8", 2), func(w *bufio.Writer) error { return square(w, n) }},
		{"data", npyHeader("<f4", entries), x.data},
	} {
		entry, err := z.CreateHeader(&zip.FileHeader{Name: member.name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := through(entry, member.header, member.write); err != nil {
			return err
		}
	}
	return z.Close()
}

// through writes a header and the values through a buffer.
func through(to io.Writer, header string, write func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(to, writeBytes)
	w.WriteString(header)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

func (x *exporter) columns(w *bufio.Writer, wide bool) error {
	return x.each(func(_ uint32, neighbors []uint32, _ []float32) error {
		for _, n := range neighbors {
			putInt(w, wide, int64(n))
		}
		return failed(w)
	})
}

// ends writes where each row's entries begin, and where the last's end.
func (x *exporter) ends(w *bufio.Writer, wide bool) error {
	end := int64(0)
	putInt(w, wide, end)
	return x.each(func(_ uint32, neighbors []uint32, _ []float32) error {
		end += int64(len(neighbors))
		putInt(w, wide, end)
		return failed(w)
	})
}

func (x *exporter) data(w *bufio.Writer) error {
	return x.each(func(_ uint32, _ []uint32, distances []float32) error {
		for _, d := range distances {
			putFloat(w, d)
		}
		return failed(w)
	})
}

func text(w *bufio.Writer, s string) error {
	_, err := w.WriteString(s)
	return err
}

func square(w *bufio.Writer, n int) error {
	putInt(w, true, int64(n))
	putInt(w, true, int64(n))
	return failed(w)
}

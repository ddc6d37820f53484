package export

import (
	"bufio"
	"encoding/binary"
	"math"
)

// Formats in which every row has the same number of entries.

func put32(w *bufio.Writer, v uint32) {
	w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), v))
}

func putFloat(w *bufio.Writer, v float32) { put32(w, math.Float32bits(v)) }

// putInt writes an integer of 4 bytes, or of 8.
func putInt(w *bufio.Writer, wide bool, v int64) {
	if wide {
		w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(v)))
		return
	}
	put32(w, uint32(v))
}

// failed returns the error that a buffered writer met earlier: looked at once a
// row, so that a full disk ends an export early.
func failed(w *bufio.Writer) error {
	_, err := w.Write(nil)
	return err
}

// putRow writes one list of neighbors, filled up to the width.
func (x *exporter) putRow(w *bufio.Writer, neighbors []uint32) error {
	for _, n := range neighbors {
		putInt(w, x.wide, int64(n))
	}
	for range x.width() - len(neighbors) {
		putInt(w, x.wide, noRow)
	}
	return failed(w)
}

// putValues writes one list of distances or keys, filled up to the width.
func (x *exporter) putValues(w *bufio.Writer, values []float32) error {
	for _, v := range values {
		putFloat(w, v)
	}
	for range x.width() - len(values) {
		putFloat(w, noDistance)
	}
	return failed(w)
}

// rows writes the neighbors of all rows.
func (x *exporter) rows(w *bufio.Writer) error {
	return x.each(func(_ uint32, neighbors []uint32, _ []float32) error { return x.putRow(w, neighbors) })
}

// distances writes the distances of all rows.
func (x *exporter) distances(w *bufio.Writer) error {
	return x.each(func(_ uint32, _ []uint32, distances []float32) error { return x.putValues(w, distances) })
}

// shape writes the two counts before the entries of gt, ibin and fbin.
func (x *exporter) shape(w *bufio.Writer) {
	put32(w, uint32(x.Len()))
	put32(w, uint32(x.width()))
}

func (x *exporter) gt(w *bufio.Writer) error {
	x.shape(w)
	if err := x.rows(w); err != nil {
		return err
	}
	return x.keyed(func(_ uint32, _ []uint32, keys []float32) error { return x.putValues(w, keys) })
}

func (x *exporter) ibin(w *bufio.Writer) error {
	x.shape(w)
	return x.rows(w)
}

func (x *exporter) fbin(w *bufio.Writer) error {
	x.shape(w)
	return x.distances(w)
}

func (x *exporter) ivecs(w *bufio.Writer) error {
	return x.each(func(_ uint32, neighbors []uint32, _ []float32) error {
		put32(w, uint32(x.width()))
		return x.putRow(w, neighbors)
	})
}

func (x *exporter) npyIndices(w *bufio.Writer) error {
	w.WriteString(npyHeader(integer(x.wide), x.Len(), x.width()))
	return x.rows(w)
}

func (x *exporter) npyDistances(w *bufio.Writer) error {
	w.WriteString(npyHeader("<f4", x.Len(), x.width()))
	return x.distances(w)
}

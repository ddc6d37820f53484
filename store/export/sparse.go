package export

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/knng/knng/store"
)

// edges calls fn for every row with its neighbors and distances: the lists as
// they are, or those of the symmetric graph.
func (x *exporter) edges(fn func(row uint32, neighbors []uint32, distances []float32) error) error {
	if x.Symmetric == Directed {
		return x.each(fn)
	}
	if x.symmetric == nil { // an npz goes over the edges three times
		s, err := x.symmetrise()
		if err != nil {
			return err
		}
		x.symmetric = s
	}
	s := x.symmetric
	for row := range uint32(x.Len()) {
		from, to := s.starts[row], s.starts[row+1]
		if err := fn(row, s.neighbors[from:to], s.distances[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// symmetric is a graph in compressed row form, in memory: 16 bytes an edge
// while it is made.
type symmetric struct {
	starts    []int
	neighbors []uint32
	distances []float32
}

// symmetrise gathers each row's own and incoming edges. A pair has one key, so
// both directions agree on the distance.
func (x *exporter) symmetrise() (*symmetric, error) {
	n := x.Len()
	out := &symmetric{starts: make([]int, n+1)}
	incoming := make([]int, n+1)
	err := x.each(func(row uint32, neighbors []uint32, distances []float32) error {
		out.add(neighbors, distances)
		out.starts[row+1] = len(out.neighbors)
		for _, m := range neighbors {
			incoming[m+1]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range n {
		incoming[i+1] += incoming[i]
	}
	in := &symmetric{starts: incoming, neighbors: make([]uint32, len(out.neighbors)), distances: make([]float32, len(out.neighbors))}
	next := append([]int(nil), incoming...)
	for row := range uint32(n) {
		for i := out.starts[row]; i < out.starts[row+1]; i++ {
			m := out.neighbors[i]
			in.neighbors[next[m]], in.distances[next[m]] = row, out.distances[i]
			next[m]++
		}
	}
	return merge(out, in, x.Symmetric == Mutual), nil
}

func (s *symmetric) add(neighbors []uint32, distances []float32) {
	s.neighbors = append(s.neighbors, neighbors...)
	s.distances = append(s.distances, distances...)
}

// merge unites outgoing and incoming edges by row, or keeps those in both.
func merge(out, in *symmetric, both bool) *symmetric {
	n := len(out.starts) - 1
	s := &symmetric{starts: make([]int, n+1)}
	own := map[uint32]bool{}
	for row := range n {
		clear(own)
		for i := out.starts[row]; i < out.starts[row+1]; i++ {
			own[out.neighbors[i]] = true
			if !both {
				s.add(out.neighbors[i:i+1], out.distances[i:i+1])
			}
		}
		for i := in.starts[row]; i < in.starts[row+1]; i++ {
			if own[in.neighbors[i]] == both {
				s.add(in.neighbors[i:i+1], in.distances[i:i+1])
			}
		}
		s.starts[row+1] = len(s.neighbors)
	}
	return s
}

// csv writes a line an edge.
func (x *exporter) csv(w *bufio.Writer) error {
	w.WriteString("row,rank,neighbor,distance\n")
	return x.edges(func(row uint32, neighbors []uint32, distances []float32) error {
		for i, n := range neighbors {
			line := strconv.AppendUint(w.AvailableBuffer(), uint64(row), 10)
			line = append(strconv.AppendInt(append(line, ','), int64(i+1), 10), ',')
			line = append(strconv.AppendUint(line, uint64(n), 10), ',')
			line = append(strconv.AppendFloat(line, float64(distances[i]), 'g', -1, 32), '\n')
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// npz writes what scipy.sparse.load_npz reads: a CSR matrix whose data are the
// distances. The arrays are stored, not compressed, so that NumPy reads them at
// disk speed.
func (x *exporter) npz(w *bufio.Writer) error {
	n := x.Len()
	starts := make([]int, n+1)
	count := 0
	err := x.edges(func(row uint32, neighbors []uint32, _ []float32) error {
		count += len(neighbors)
		starts[row+1] = count
		return nil
	})
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	// SciPy wants one integer type for both: int64 where the entries need it.
	wide := count > math.MaxInt32
	integers := map[bool]string{false: "<i4", true: "<i8"}[wide]
	put := func(name string, header []byte, body func(w *bufio.Writer) error) {
		if err != nil {
			return
		}
		var entry interface{ Write([]byte) (int, error) }
		if entry, err = z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}); err != nil {
			return
		}
		b := bufio.NewWriterSize(entry, 1<<20)
		b.Write(header)
		if err = body(b); err == nil {
			err = b.Flush()
		}
	}
	integer := func(w *bufio.Writer, v int) {
		if wide {
			w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(v)))
			return
		}
		putUint32(w, uint32(v))
	}
	put("indices.npy", npyHeader(integers, count), func(w *bufio.Writer) error {
		return x.edges(func(_ uint32, neighbors []uint32, _ []float32) error {
			for _, m := range neighbors {
				integer(w, int(m))
			}
			return nil
		})
	})
	put("indptr.npy", npyHeader(integers, n+1), func(w *bufio.Writer) error {
		for _, s := range starts {
			integer(w, s)
		}
		return nil
	})
	put("format.npy", npyHeader("|S3"), func(w *bufio.Writer) error { _, err := w.WriteString("csr"); return err })
	put("shape.npy", npyHeader("<i8", 2), func(w *bufio.Writer) error {
		for range 2 {
			w.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
		}
		return nil
	})
	put("data.npy", npyHeader("<f4", count), func(w *bufio.Writer) error {
		return x.edges(func(_ uint32, _ []uint32, distances []float32) error {
			for _, d := range distances {
				putUint32(w, math.Float32bits(d))
			}
			return nil
		})
	})
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

var _ Graph = (*store.Store)(nil)

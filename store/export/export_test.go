package export

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/knng/knng/store"
)

// fake is a graph of four rows, the last isolated; shown distances are roots.
type fake struct{}

var lists = [][]uint32{{1, 2}, {0, 2}, {1, 0}, nil}
var keys = [][]float32{{1, 4}, {1, 9}, {9, 16}, nil}

func (fake) Len() int { return 4 }
func (fake) K() int   { return 2 }
func (fake) EachKeyed(fn func(row store.Row, neighbors []uint32, keys []float32) error) error {
	for row := range lists {
		if err := fn(store.Row(row), lists[row], keys[row]); err != nil {
			return err
		}
	}
	return nil
}
func (fake) Shown(key float32) float32 { return float32(math.Sqrt(float64(key))) }

func exported(t *testing.T, o Options, file string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := Export(fake{}, path, o); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(path), file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func words(data []byte) (v []int32) {
	for i := 0; i+4 <= len(data); i += 4 {
		v = append(v, int32(binary.LittleEndian.Uint32(data[i:])))
	}
	return v
}

func floatWords(data []byte) (v []float32) {
	for _, w := range words(data) {
		v = append(v, math.Float32frombits(uint32(w)))
	}
	return v
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}

var inf = float32(math.Inf(1))

func TestFixedWidth(t *testing.T) {
	gt := exported(t, Options{Format: GT}, "x")
	expect(t, "gt rows", words(gt[:40]), []int32{4, 2, 1, 2, 0, 2, 1, 0, -1, -1})
	expect(t, "gt keys", floatWords(gt[40:]), []float32{1, 4, 1, 9, 9, 16, inf, inf})
	expect(t, "ibin", words(exported(t, Options{Format: IBin}, "x")), []int32{4, 2, 1, 2, 0, 2, 1, 0, -1, -1})
	expect(t, "fbin", floatWords(exported(t, Options{Format: IBin}, "x.fbin")[8:]), []float32{1, 2, 1, 3, 3, 4, inf, inf})
	expect(t, "ivecs", words(exported(t, Options{Format: IVecs, Self: true}, "x")), []int32{3, 0, 1, 2, 3, 1, 0, 2, 3, 2, 1, 0, 3, 3, -1, -1})
	indices := exported(t, Options{Format: NPY, Self: true}, "x/indices.npy")
	if len(indices) != 64*((len(indices)-48)/64)+48 || !bytes.Contains(indices, []byte("'shape': (4,3,)")) {
		t.Errorf("header %q", indices[:len(indices)-48])
	}
	expect(t, "npy", words(indices[len(indices)-48:]), []int32{0, 1, 2, 1, 0, 2, 2, 1, 0, 3, -1, -1})
	distances := exported(t, Options{Format: NPY}, "x/distances.npy")
	expect(t, "npy distances", floatWords(distances[len(distances)-32:]), []float32{1, 2, 1, 3, 3, 4, inf, inf})
}

// edgesOf reads a csv back: neighbor to distance, by row.
func edgesOf(t *testing.T, data []byte) (edges [4]map[int]string) {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := range edges {
		edges[i] = map[int]string{}
	}
	for _, r := range records[1:] {
		row, _ := strconv.Atoi(r[0])
		n, _ := strconv.Atoi(r[2])
		edges[row][n] = r[3]
	}
	return edges
}

func TestSymmetric(t *testing.T) {
	expect(t, "lists", edgesOf(t, exported(t, Options{Format: CSV}, "x")), "[map[1:1 2:2] map[0:1 2:3] map[0:4 1:3] map[]]")
	expect(t, "union", edgesOf(t, exported(t, Options{Format: CSV, Symmetric: Union}, "x")), "[map[1:1 2:2] map[0:1 2:3] map[0:4 1:3] map[]]")
	expect(t, "mutual", edgesOf(t, exported(t, Options{Format: CSV, Symmetric: Mutual}, "x"))[0], "map[1:1 2:4]")
}

// TestSymmetriseOneWay: an edge that only one row lists is in the union from
// both sides and not among the mutual ones.
func TestSymmetriseOneWay(t *testing.T) {
	out := &symmetric{starts: []int{0, 1, 1}, neighbors: []uint32{1}, distances: []float32{5}}
	in := &symmetric{starts: []int{0, 0, 1}, neighbors: []uint32{0}, distances: []float32{5}}
	union := merge(out, in, false)
	expect(t, "union", union.neighbors, []uint32{1, 0})
	expect(t, "mutual", len(merge(out, in, true).neighbors), 0)
}

func TestNPZ(t *testing.T) {
	data := exported(t, Options{Format: NPZ}, "x")
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"indices.npy": []int32{1, 2, 0, 2, 1, 0}, "indptr.npy": []int32{0, 2, 4, 6, 6},
		"shape.npy": []int32{4, 0, 4, 0}, "format.npy": "csr", "data.npy": []float32{1, 2, 1, 3, 3, 4},
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(r)
		body = body[10+int(binary.LittleEndian.Uint16(body[8:])):]
		switch f.Name {
		case "format.npy":
			expect(t, f.Name, string(body), want[f.Name])
		case "data.npy":
			expect(t, f.Name, floatWords(body), want[f.Name])
		default:
			expect(t, f.Name, words(body), want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing %v", want)
	}
}

func TestRefusals(t *testing.T) {
	for _, o := range []Options{{Format: "hdf5"}, {Format: GT, Self: true}, {Format: NPY, Symmetric: Union}, {Format: NPZ, Symmetric: "both"}} {
		if err := Export(fake{}, filepath.Join(t.TempDir(), "x"), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := Export(fake{}, path, Options{Format: CSV}); err != nil {
		t.Fatal(err)
	}
	if err := Export(fake{}, path, Options{Format: CSV}); err == nil {
		t.Error("an existing file was overwritten")
	}
	if err := Export(fake{}, path, Options{Format: CSV, Force: true}); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func ExampleExport() {
	dir, _ := os.MkdirTemp("", "export")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "graph.csv")
	if err := Export(fake{}, path, Options{Format: CSV}); err != nil { // a *store.Store is a Graph
		fmt.Println(err)
		return
	}
	text, _ := os.ReadFile(path)
	fmt.Printf("%.33s\n", text)
	// Output:
	// row,rank,neighbor,distance
	// 0,1,1,
}

package gofuncs

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"sort"
	"testing"
)

// someOfTheLibrary is small enough for brute force and rich in twins.
var someOfTheLibrary = []string{"bufio", "bytes", "compress/...", "container/...", "encoding/...", "hash/...", "internal/stringslite", "math/...", "slices", "sort", "strconv", "strings", "unicode/..."}

func library(t testing.TB) []Function {
	t.Helper()
	root, err := FindRoot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return read(t, root.Dir, Options{Packages: someOfTheLibrary})
}

func TestRowsOfTheLibrary(t *testing.T) {
	functions := library(t)
	rows := Vectors(functions, Dim, 0)
	if len(rows) != len(functions)*Dim {
		t.Fatalf("%d elements for %d functions", len(rows), len(functions))
	}
	seen := make(map[string]bool)
	for i, f := range functions {
		if seen[f.ID] {
			t.Errorf("two functions are called %s", f.ID)
		}
		seen[f.ID] = true
		var square float64
		for _, x := range rows[i*Dim : (i+1)*Dim] {
			square += float64(x) * float64(x)
		}
		if !(math.Abs(square-1) < 1e-5) { // not of a NaN either
			t.Errorf("%s: squared length %v", f.ID, square)
		}
	}
}

// TestRowsGolden holds the bytes: they must be equal on every machine.
func TestRowsGolden(t *testing.T) {
	var data []byte
	for _, x := range Vectors(read(t, shop, Options{}), Dim, 0) {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	sum := sha256.Sum256(data)
	const want = "a07a0093750618cb"
	if got := hex.EncodeToString(sum[:8]); got != want {
		t.Errorf("checksum %s, want %s", got, want)
	}
}

// TestTwins asks what a Go programmer would expect: the second is among the ten
// nearest of the first.
func TestTwins(t *testing.T) {
	functions := library(t)
	rows := Vectors(functions, Dim, 0)
	names := ids(functions)
	for _, pair := range [][2]string{
		{"bytes.Index", "strings.Index"},
		{"strings.Index", "bytes.Index"},
		{"bytes.TrimLeft", "strings.TrimLeft"},
		{"unicode/utf16.DecodeRune", "unicode/utf8.DecodeRune"},
		{"strings.(*Builder).WriteString", "bytes.(*Buffer).WriteString"},
		{"sort.Slice", "sort.SliceStable"},
		{"sort.Sort", "slices.Sort"},
		{"slices.BinarySearch", "sort.Search"},
		{"hash/crc32.Update", "hash/crc64.Update"},
		{"math.Sin", "math/cmplx.Sin"},
		{"math/big.(*Int).Add", "math/big.(*Int).Sub"},
		{"compress/gzip.(*Writer).Close", "compress/zlib.(*Writer).Close"},
		{"encoding/hex.EncodeToString", "encoding/base64.(*Encoding).EncodeToString"},
		{"encoding/binary.littleEndian.PutUint32", "encoding/binary.bigEndian.PutUint32"},
		{"container/list.(*List).PushFront", "container/list.(*List).PushBack"},
		{"bufio.(*Reader).ReadByte", "bytes.(*Buffer).ReadByte"},
	} {
		at := slices.Index(names, pair[0])
		if at < 0 {
			t.Errorf("no %s", pair[0])
			continue
		}
		var near []string
		for _, j := range nearest(at, len(functions), 10, func(j int) float64 { return dot(rows, at, j) }) {
			near = append(near, names[j])
		}
		if !slices.Contains(near, pair[1]) {
			t.Errorf("%s: no %s in %q", pair[0], pair[1], near)
		}
	}
}

// hashed returns how many of the ten nearest functions by the unhashed weights
// are among the ten nearest rows, as a share, over a sample of functions.
func hashed(functions []Function, rows []float32, sample int) float64 {
	having := frequencies(functions)
	sparse := make([]map[uint64]float64, len(functions))
	for i, f := range functions {
		sparse[i] = make(map[uint64]float64)
		var square float64
		w := weights(f.Terms, len(functions), having)
		for _, x := range w {
			square += float64(x) * float64(x)
		}
		for j, x := range w {
			if x != 0 {
				sparse[i][f.Terms[j].Hash] = float64(x) / math.Sqrt(square)
			}
		}
	}
	found := make([]int, sample)
	parallel(sample, 0, func(q int) {
		i := q * len(functions) / sample
		want := nearest(i, len(functions), 10, func(j int) (sum float64) {
			for h, x := range sparse[i] {
				sum += x * sparse[j][h]
			}
			return sum
		})
		for _, j := range nearest(i, len(functions), 10, func(j int) float64 { return dot(rows, i, j) }) {
			if slices.Contains(want, j) {
				found[q]++
			}
		}
	})
	var sum int
	for _, f := range found {
		sum += f
	}
	return float64(sum) / float64(10*sample)
}

// nearest returns the k places other than i with the highest cosine.
func nearest(i, n, k int, cos func(j int) float64) []int {
	c := make([]float64, n)
	order := make([]int, 0, n)
	for j := range n {
		if c[j] = cos(j); j != i {
			order = append(order, j)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return c[order[a]] > c[order[b]] })
	return order[:k]
}

func dot(rows []float32, i, j int) (sum float64) {
	dim := Dim
	b := rows[j*dim : (j+1)*dim]
	for x, a := range rows[i*dim : (i+1)*dim] {
		sum += float64(a * b[x])
	}
	return sum
}

// TestHashingKeepsNeighbors compares rows with the weights they were hashed from.
func TestHashingKeepsNeighbors(t *testing.T) {
	functions := library(t)
	got := hashed(functions, Vectors(functions, Dim, 0), 100)
	t.Logf("%d functions: %.3f of the nearest by unhashed weights", len(functions), got)
	if got < 0.7 {
		t.Errorf("%.3f of the nearest by unhashed weights are among the nearest rows, want 0.7", got)
	}
}

// TestNothingShared: one function alone shares no term and still has a direction.
func TestNothingShared(t *testing.T) {
	row := Vectors(read(t, shop, Options{Packages: []string{"shop/till"}}), 8, 1)
	var square float32
	for _, x := range row {
		square += x * x
	}
	if square != 1 {
		t.Errorf("row %v", row)
	}
}

// TestLog2 holds the integer logarithm against the library's.
func TestLog2(t *testing.T) {
	for x := uint64(1); x < 1<<40; x += 1 + x/7 {
		got, want := float64(log2(x))/(1<<fraction), math.Log2(float64(x))
		if got > want+1e-9 || got < want-2.0/(1<<fraction) {
			t.Fatalf("log2(%d) = %v, want %v rounded down", x, got, want)
		}
	}
}

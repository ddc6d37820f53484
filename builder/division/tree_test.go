package division

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// bytesNear makes n rows of dim bytes around a few centres.
func bytesNear(seed uint64, n, dim int) []byte {
	rng := rand.New(rand.NewPCG(seed, 3))
	centres := make([]byte, 16*dim)
	for i := range centres {
		centres[i] = byte(rng.IntN(200))
	}
	rows := make([]byte, 0, n*dim)
	for range n {
		c := rng.IntN(16) * dim
		for j := range dim {
			rows = append(rows, centres[c+j]+byte(rng.IntN(40)))
		}
	}
	return rows
}

func treeOf(t testing.TB, rows []byte, n, dim, leaf int, rowOf []uint32) *Tree {
	t.Helper()
	space, err := distance.New(distance.Euclidean, vectors.Uint8, dim)
	if err != nil {
		t.Fatal(err)
	}
	return &Tree{Space: space, Base: rows, Stride: dim, Dim: dim, RowOf: rowOf, N: n, Seed: 7, LeafSize: leaf, Sample: 50, Threads: 1}
}

func divide(t testing.TB, tree *Tree, division uint32) *Leaves {
	t.Helper()
	l, err := tree.Divide(context.Background(), division)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLeavesPartitionTheRows(t *testing.T) {
	const dim = 6
	for _, n := range []int{1, 2, 9, 10, 11, 1000, 20000} {
		tree := treeOf(t, bytesNear(1, n, dim), n, dim, 10, nil)
		l := divide(t, tree, 1)
		seen := make([]bool, n)
		for i := range l.Len() {
			leaf := l.Leaf(i)
			if len(leaf) == 0 || len(leaf) >= 10 || !slices.IsSorted(leaf) {
				t.Fatalf("n=%d: leaf %d has %d rows", n, i, len(leaf))
			}
			for _, p := range leaf {
				if seen[p] {
					t.Fatalf("n=%d: row %d twice", n, p)
				}
				seen[p] = true
			}
		}
		if slices.Contains(seen, false) {
			t.Fatalf("n=%d: a row is in no leaf", n)
		}
		back := FromLabels(l.Labels())
		if !slices.Equal(back.Places, l.Places) || !slices.Equal(back.Starts, l.Starts) {
			t.Fatalf("n=%d: leaves do not come back from their labels", n)
		}
	}
}

// TestPlacesDoNotMatter divides the same rows laid out in another order, by more
// threads: the leaves hold the same rows.
func TestPlacesDoNotMatter(t *testing.T) {
	const n, dim = 20000, 8
	rows := bytesNear(2, n, dim)
	rng := rand.New(rand.NewPCG(4, 4))
	order := make([]uint32, n)
	moved := make([]byte, 0, len(rows))
	for place, row := range rng.Perm(n) {
		order[place] = uint32(row)
		moved = append(moved, rows[row*dim:(row+1)*dim]...)
	}
	want := divide(t, treeOf(t, rows, n, dim, 100, nil), 3)
	tree := treeOf(t, moved, n, dim, 100, order)
	tree.Threads = 3
	got := divide(t, tree, 3)
	for i := range want.Len() {
		var leaf []uint32
		for _, p := range got.Leaf(i) {
			leaf = append(leaf, order[p])
		}
		slices.Sort(leaf)
		if !slices.Equal(leaf, want.Leaf(i)) {
			t.Fatalf("leaf %d differs", i)
		}
	}
}

// goldens are checksums of two divisions of the same rows: the same under every
// kernel, compiler setting and architecture.
var goldens = map[bool]uint64{false: 0xbf7ad80b45dc2eea, true: 0xf01eaa918e5a6cf6}

func TestGoldenDivisions(t *testing.T) {
	const n, dim = 5000, 20
	for random, want := range goldens {
		tree := treeOf(t, bytesNear(5, n, dim), n, dim, 60, nil)
		tree.Random = random
		h := fnv.New64a()
		for division := range uint32(3) {
			fmt.Fprint(h, divide(t, tree, division).Labels())
		}
		if got := h.Sum64(); got != want {
			t.Errorf("random %v: %#x, want %#x", random, got, want)
		}
	}
}

func TestEqualRows(t *testing.T) {
	const n, dim = 3000, 4
	l := divide(t, treeOf(t, make([]byte, n*dim), n, dim, 50, nil), 1)
	for i := range l.Len() {
		if len(l.Leaf(i)) >= 50 {
			t.Fatalf("leaf %d has %d rows", i, len(l.Leaf(i)))
		}
	}
}

// TestPrincipalDirection: the Lanczos direction of stretched rows is the stretch.
func TestPrincipalDirection(t *testing.T) {
	const n, dim = 400, 12
	rng := rand.New(rand.NewPCG(8, 8))
	data := make([]float32, n*dim)
	for i := range n {
		along := rng.NormFloat64() * 10
		for j := range dim {
			data[i*dim+j] = float32(along*float64(j%3) + rng.NormFloat64())
		}
	}
	rows, _ := vectors.FromFloat32(data, dim)
	space, _ := distance.New(distance.Euclidean, vectors.Float32, dim)
	tree := &Tree{Space: space, Base: rows.Base(), Stride: rows.Stride(), Dim: dim, N: n, Sample: n, LeafSize: 10, Seed: 1}
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = entry{place: uint32(i), row: uint32(i), hash: uint32(hashrand.Mix(uint64(i)) >> 32)}
	}
	dir := newScratch(tree).principalDirection(entries, 1)
	var dot, norm float64
	for j := range dim {
		dot += float64(dir[j]) * float64(j%3)
		norm += float64(j%3) * float64(j%3)
	}
	if cos := math.Abs(dot) / math.Sqrt(norm); cos < 0.999 {
		t.Errorf("cosine %v with the true direction", cos)
	}
}

func TestSelectNth(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 300 {
		n := 1 + rng.IntN(3000)
		a := make([]entry, n)
		for i := range a {
			a[i] = entry{proj: float32(rng.IntN(9)), hash: rng.Uint32N(5), row: uint32(i)}
		}
		rng.Shuffle(n, func(i, j int) { a[i], a[j] = a[j], a[i] })
		sorted := slices.Clone(a)
		slices.SortFunc(sorted, func(x, y entry) int {
			return cmp.Or(cmp.Compare(x.proj, y.proj), cmp.Compare(x.hash, y.hash), cmp.Compare(x.row, y.row))
		})
		nth := rng.IntN(n)
		selectNth(a, nth)
		low := slices.Clone(a[:nth])
		slices.SortFunc(low, func(x, y entry) int {
			return cmp.Or(cmp.Compare(x.proj, y.proj), cmp.Compare(x.hash, y.hash), cmp.Compare(x.row, y.row))
		})
		if !slices.Equal(low, sorted[:nth]) {
			t.Fatalf("the %d smallest of %d are others", nth, n)
		}
	}
}

func ExampleTree() {
	rows := []byte{0, 1, 2, 3, 100, 101, 102, 103}
	space, _ := distance.New(distance.Euclidean, vectors.Uint8, 1)
	tree := Tree{Space: space, Base: rows, Stride: 1, Dim: 1, N: 8, Seed: 1, LeafSize: 5, Sample: 8}
	leaves, _ := tree.Divide(context.Background(), 1)
	for i := range leaves.Len() {
		leaf := leaves.Leaf(i)
		fmt.Println(len(leaf), "rows, all on one side:", rows[leaf[0]] < 50 == (rows[leaf[3]] < 50))
	}
	// Output:
	// 4 rows, all on one side: true
	// 4 rows, all on one side: true
}

func BenchmarkDivide(b *testing.B) {
	const n, dim = 100000, 128
	tree := treeOf(b, bytesNear(1, n, dim), n, dim, 500, nil)
	tree.Sample = 100
	for b.Loop() {
		divide(b, tree, 1)
	}
}

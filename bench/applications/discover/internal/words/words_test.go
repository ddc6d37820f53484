package words

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const dim = 16

// blobs are rows around so many centers, one after the other.
func blobs(rng *rand.Rand, n, centers int) (rows []byte) {
	middle := make([]int, centers*dim)
	for i := range middle {
		middle[i] = 30 + rng.IntN(190)
	}
	for i := range n {
		for j := range dim {
			rows = append(rows, byte(middle[i%centers*dim+j]+rng.IntN(9)-4))
		}
	}
	return rows
}

func squared(a, b []byte) (sum float64) {
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return sum
}

// TestMeans: the inertia falls, is what the slow sum says, and every row has its
// nearest center.
func TestMeans(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	rows := blobs(rng, 2000, 12)
	v, err := Means(rows, dim, 30, 20, 2, rng)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(v.Inertia); i++ {
		if v.Inertia[i] >= v.Inertia[i-1] {
			t.Errorf("iteration %d: inertia %v after %v", i, v.Inertia[i], v.Inertia[i-1])
		}
	}
	words, err := v.Words(rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	var inertia float64
	for i, w := range words {
		row := rows[i*dim : (i+1)*dim]
		best := 0
		for c := range v.Len() {
			if squared(row, v.Centers[c*dim:(c+1)*dim]) < squared(row, v.Centers[best*dim:(best+1)*dim]) {
				best = c
			}
		}
		if best != int(w) {
			t.Fatalf("row %d has word %d, want %d", i, w, best)
		}
		inertia += squared(row, v.Centers[best*dim:(best+1)*dim])
	}
	if last := v.Inertia[len(v.Inertia)-1]; inertia != last {
		t.Errorf("inertia %v, the sum is %v", last, inertia)
	}
}

func TestMeansOfFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 4 {
		v, err := Means(blobs(rng, n, 1), dim, 3, 5, 1, rng)
		if err != nil || v.Len() != n {
			t.Errorf("%d rows: %d centers, %v", n, v.Len(), err)
		}
	}
}

// TestTree: equal rows have equal words, rows of different blobs different ones,
// and threads change nothing.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	rows := blobs(rng, 1200, 40)
	grow := func(threads int) (*Tree, []uint32) {
		tree, err := Grow(rows, dim, 6, 3, 8, threads, rand.New(rand.NewPCG(5, 5)))
		if err != nil {
			t.Fatal(err)
		}
		words, err := tree.Words(rows, threads)
		if err != nil {
			t.Fatal(err)
		}
		return tree, words
	}
	tree, one := grow(1)
	_, two := grow(2)
	if !slices.Equal(one, two) {
		t.Error("threads change words")
	}
	blob := map[uint32]int{}
	for i, w := range one {
		if int(w) >= tree.Len() {
			t.Fatalf("word %d of %d", w, tree.Len())
		}
		if b, seen := blob[w]; seen && b != i%40 {
			t.Fatalf("word %d has rows of blobs %d and %d", w, b, i%40)
		}
		blob[w] = i % 40
	}
}

func TestWeights(t *testing.T) {
	w := Weights([][]uint32{{0, 0, 1}, {0}, {2, 1}, {0}}, 4)
	for i, want := range []float64{math.Log(4. / 3), math.Log(2), math.Log(4), 0} {
		if math.Abs(float64(w[i])-want) > 1e-6 {
			t.Errorf("word %d: %v, want %v", i, w[i], want)
		}
	}
	h := Histogram([]uint32{1, 1, 2}, []float32{5, 3, 8, 1})
	if want := []float32{0, 0.6, 0.8, 0}; !slices.EqualFunc(h, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }) {
		t.Errorf("%v, want %v", h, want)
	}
	if h := Histogram(nil, []float32{1, 2}); !slices.Equal(h, []float32{0, 0}) {
		t.Errorf("of no words: %v", h)
	}
}

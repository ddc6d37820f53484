package builder_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const broadDim = 48

// broad is n rows of whole numbers that vary along some directions, over most of the range of
// a byte.
func broad(n int) []float32 {
	rng := rand.New(rand.NewPCG(2026, 41))
	mix := make([]int, 12*broadDim)
	for i := range mix {
		mix[i] = rng.IntN(9) - 4
	}
	data := make([]float32, 0, n*broadDim)
	for range n {
		var along [12]int
		for j := range along {
			along[j] = rng.IntN(7) + rng.IntN(7) - 6
		}
		for i := range broadDim {
			x := 128 + rng.IntN(9)
			for j, t := range along {
				x += t * mix[j*broadDim+i]
			}
			data = append(data, float32(min(max(x, 1), 255)))
		}
	}
	return data
}

// shortened builds, and tells whether by short codes.
func shortened(t *testing.T, in *vectors.Input, o builder.Options) (bool, *builder.Result, [][]entry) {
	t.Helper()
	tried, refused := false, false
	o.Progress = func(e builder.Event) {
		tried = tried || e.Phase == "short codes"
		refused = refused || strings.Contains(e.Message, "rows are compared by bytes")
	}
	res, lists := build(t, filepath.Join(t.TempDir(), "g"), in, o)
	return tried && !refused, res, lists
}

// TestShortCodes: lists by short codes are as good as the target asks, of every type and
// metric, with the keys of the rows; they are not taken where they tell too little.
func TestShortCodes(t *testing.T) {
	defer builder.ReduceFrom(1000)()
	const n, k = 2000, 10
	data := broad(n)
	o := builder.Options{K: k, Method: builder.Balls, LeafSize: 100, Recall: 0.95}
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Int8, vectors.Float32} {
		for _, m := range []distance.Metric{distance.Euclidean, distance.Cosine} {
			if typ == vectors.Int8 && m == distance.Cosine {
				continue // other rows than those of the oracle: they were moved
			}
			o.Metric = m
			short, res, lists := shortened(t, typed(t, data, broadDim, typ), o)
			checkLists(t, lists, k)
			got := recallOf(lists, bruteForce(t, data, broadDim, k, m))
			more := (res.Recall.High - res.Recall.Low) / 2
			if !short || got < 0.94 || got < res.Recall.Low-more || got > res.Recall.High+more {
				t.Errorf("%v %v: short codes %v, recall %.4f, reported %+v", typ, m, short, got, res.Recall)
			}
		}
	}
	o.Metric, o.Recall = distance.Euclidean, 1
	if short, _, _ := shortened(t, typed(t, data, broadDim, vectors.Uint8), o); short {
		t.Error("recall 1 was sought by short codes")
	}
	o.Recall = 0.95
	if short, _, _ := shortened(t, typed(t, islandRows(n), broadDim, vectors.Uint8), o); short {
		t.Error("rows that differ by less than short codes tell were compared by them")
	}
}

// islandRows is rows far from each other, each with others that differ little from it.
func islandRows(n int) []float32 {
	rng := rand.New(rand.NewPCG(41, 41))
	middles := make([]float32, 20*broadDim)
	for i := range middles {
		middles[i] = float32(5 + rng.IntN(245))
	}
	data := make([]float32, 0, n*broadDim)
	for i := range n {
		for _, x := range middles[i%20*broadDim:][:broadDim] {
			data = append(data, x+float32(rng.IntN(3)))
		}
	}
	return data
}

// TestShortCodesAgain: neither threads nor interruptions change a graph that was built by short
// codes, whose range those who go on read from the disk.
func TestShortCodesAgain(t *testing.T) {
	defer builder.ReduceFrom(1000)()
	defer builder.KeepEvery(0)()
	data := broad(1500)
	o := builder.Options{K: 10, Method: builder.Balls, LeafSize: 100, Recall: 0.97, Threads: 1}
	short, want, _ := shortened(t, typed(t, data, broadDim, vectors.Uint8), o)
	if !short {
		t.Fatal("no short codes")
	}
	o.Threads = 3
	dir := filepath.Join(t.TempDir(), "g")
	for _, phase := range []string{"short codes", "division 1", "rerank"} {
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(e builder.Event) {
			if e.Phase == phase {
				cancel()
			}
		}
		_, err := builder.Build(ctx, dir, typed(t, data, broadDim, vectors.Uint8), o)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: the build was not interrupted: %v", phase, err)
		}
	}
	o.Progress = nil
	if got, _ := build(t, dir, typed(t, data, broadDim, vectors.Uint8), o); got.Checksum != want.Checksum {
		t.Errorf("after interruptions checksum %s, want %s", got.Checksum, want.Checksum)
	}
}

// TestGoldenShort pins a graph that was built by short codes: see TestGoldenGraphs.
func TestGoldenShort(t *testing.T) {
	defer builder.ReduceFrom(1000)()
	o := builder.Options{K: 10, Method: builder.Balls, LeafSize: 100, Recall: 0.97}
	for typ, want := range map[vectors.Type]string{
		vectors.Uint8:   "75f384015479144d3538947421e8a65bc9d9240b22b28b2a2b68602076e49549",
		vectors.Float32: "7c5b632aca052bccbc75552e87f3809def7381bc4a5e271cb4e41e25e8336ae0",
	} {
		if short, res, _ := shortened(t, typed(t, broad(1500), broadDim, typ), o); !short || res.Checksum != want {
			t.Errorf("%v: short codes %v, checksum %s, want %s", typ, short, res.Checksum, want)
		}
	}
}

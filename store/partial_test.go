package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// partialLists is a batch of lists whose keys ascend from what key draws.
func partialLists(rng *rand.Rand, rows, most, places int, key func() float32) (l Lists) {
	l.Reset()
	place := uint32(0)
	for range rows {
		place += 1 + rng.Uint32N(5)
		n := rng.IntN(most + 1)
		ids, keys := make([]uint32, n), make([]float32, n)
		for i := range n {
			ids[i], keys[i] = rng.Uint32N(uint32(places)), key()
		}
		slices.Sort(keys)
		l.Append(place, ids, keys)
	}
	return l
}

// TestPartialListsComeBack: bit by bit, whatever the keys.
func TestPartialListsComeBack(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	draws := map[string]func() float32{
		"whole numbers": func() float32 { return float32(rng.IntN(1 << 18)) },
		"distances":     func() float32 { return float32(rng.NormFloat64()*0.1 + 2) },
		"products":      func() float32 { return -float32(rng.NormFloat64()*0.1 + 2) },
		"both signs":    func() float32 { return float32(rng.NormFloat64()) },
		"zeros":         func() float32 { return 0 },
		"odd ones": func() float32 {
			return []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN()), 1}[rng.IntN(7)]
		},
		"any bits": func() float32 { return math.Float32frombits(rng.Uint32()) },
	}
	for name, key := range draws {
		for range 50 {
			want := partialLists(rng, 1+rng.IntN(30), rng.IntN(30), 1+rng.IntN(1<<uint(rng.IntN(32))), key)
			value, err := appendLists(nil, &want)
			if err != nil {
				t.Fatal(err)
			}
			var got Lists
			if err := decodeLists(value, &got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			same := slices.Equal(got.Rows, want.Rows) && slices.Equal(got.Starts, want.Starts) && slices.Equal(got.Neighbors, want.Neighbors) &&
				slices.EqualFunc(got.Keys, want.Keys, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })
			if !same {
				t.Fatalf("%s: %v came back as %v", name, want, got)
			}
			for cut := range value {
				if err := decodeLists(value[:cut], &got); err == nil {
					t.Fatalf("%s: %d of %d bytes are whole lists", name, cut, len(value))
				}
			}
		}
	}
}

// TestPartialListsOfBefore: what an older version wrote is not taken for something else.
func TestPartialListsOfBefore(t *testing.T) {
	var l Lists
	if err := decodeLists([]byte{1, 7, 1, 9, 0, 0, 0, 0, 0, 128, 63}, &l); err != errOldForm {
		t.Errorf("error %v, want %v", err, errOldForm)
	}
}

// TestPartialListsGolden pins the form; it is explained in the package comment.
func TestPartialListsGolden(t *testing.T) {
	var l Lists
	l.Append(5, []uint32{9, 4}, []float32{1, 3})
	l.Append(7, []uint32{5}, []float32{2})
	value, err := appendLists(nil, &l)
	const want = "00 02 04 16 05 02 02 01 49 e5 8f 30 40 00 00 00 00 00 00 00 00"
	if got := fmt.Sprintf("% x", value); err != nil || got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}

func BenchmarkPartialLists(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, key := range map[string]func() float32{
		"bytes":  func() float32 { return float32(30000 + rng.IntN(30000)) },
		"floats": func() float32 { return 1 + rng.Float32() },
	} {
		l := partialLists(rng, 50000, 20, 20_000_000, key)
		value, _ := appendLists(nil, &l)
		entries := float64(len(l.Keys))
		b.Run("append/"+name, func(b *testing.B) {
			for b.Loop() {
				value, _ = appendLists(value[:0], &l)
			}
			b.ReportMetric(float64(len(value))/entries, "B/entry")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entries, "ns/entry")
		})
		b.Run("decode/"+name, func(b *testing.B) {
			var back Lists
			for b.Loop() {
				if err := decodeLists(value, &back); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entries, "ns/entry")
		})
	}
}

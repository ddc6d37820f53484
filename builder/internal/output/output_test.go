package output_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/output"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/store"
)

// TestPasses: lists that the stages left short are completed exactly, others stay as they are; the store
// has them in the order of the input, recall is that of the lists, and components are those of a walk.
func TestPasses(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 6 {
		n, k := 2+rng.IntN(150), 1+rng.IntN(6)
		rows, space := rowstest.Bytes(t, rng, n, 3, 2+rng.IntN(50))
		b := buildtest.New(t, rows, space, k)
		var bytes []byte
		for place, row := range rng.Perm(n) {
			b.Order[place] = uint32(row)
			bytes = append(bytes, rows.Row(row)...)
		}
		if err := b.Over(bytes, n); err != nil {
			t.Fatal(err)
		}
		w, err := b.Draft.CreateRows(n, rows.Dim(), rows.Type())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(bytes); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := b.Draft.CommitOrder(b.Order); err != nil {
			t.Fatal(err)
		}
		b.Method, b.Lists = new(buildtest.Idle), knn.New(n, b.K, b.Order)
		stages := stagesOf(rng, b)
		o := &output.Output{Build: b, Controls: &controls.Controls{Build: b, Groups: new(copies.Groups)}, Groups: new(copies.Groups)}
		for _, pass := range []func() error{o.Complete, o.Adjacency, o.Measure, o.Sum} {
			if err := pass(); err != nil {
				t.Fatal(err)
			}
		}
		want, completed, found := make([][]uint32, n), 0, 0.0
		for place, row := range b.Order {
			exact, exactKeys := buildtest.Nearest(rows, space, int(row), b.K)
			if want[row] = stages[place]; len(stages[place]) < b.K {
				want[row] = exact
				completed++
			}
			last := exactKeys[len(exactKeys)-1]
			for _, other := range want[row] {
				if space.Key(rows.Row(int(row)), rows.Row(int(other)), 0, 0) <= last {
					found++
				}
			}
		}
		if o.Completed != completed || o.Counts.Requested != int64(completed)*int64(n-1) || o.Length() != b.K {
			t.Errorf("%d lists completed with %d pairs, want %d", o.Completed, o.Counts.Requested, completed)
		}
		if n <= controls.Rows { // all of them report
			if mean := found / float64(n*b.K); o.Recall.Recall < mean-1e-9 || o.Recall.Recall > mean+1e-9 || o.Recall.Sample != n {
				t.Errorf("recall %v of %d rows, want %v of %d", o.Recall.Recall, o.Recall.Sample, mean, n)
			}
		}
		if components := walk(want); o.Components != components {
			t.Errorf("%d components, want %d", o.Components, components)
		}
		checkStore(t, b, want, o.Checksum)
	}
}

// stagesOf gives some places whole lists, others short ones, and returns them by place, as rows.
func stagesOf(rng *rand.Rand, b *build.Build) (lists [][]uint32) {
	for place := range uint32(b.N()) {
		for _, other := range rng.Perm(b.N()) {
			if uint32(other) != place && (place%3 > 0 || rng.IntN(8) == 0) {
				b.Lists.Offer(place, uint32(other), b.Space.Key(b.Rows.Row(int(place)), b.Rows.Row(other), 0, 0))
			}
			if place%3 == 1 && rng.IntN(b.K+1) == 0 {
				break
			}
		}
		var list []uint32
		ids, _ := b.Lists.List(place)
		for _, id := range ids {
			list = append(list, b.Order[id])
		}
		lists = append(lists, list)
	}
	return lists
}

// walk counts the components of a graph, in which edges go both ways.
func walk(lists [][]uint32) (components int) {
	next := make([][]uint32, len(lists))
	for row, list := range lists {
		for _, other := range list {
			next[row], next[other] = append(next[row], other), append(next[other], uint32(row))
		}
	}
	seen := make([]bool, len(lists))
	for row := range lists {
		if seen[row] {
			continue
		}
		components++
		for open := []uint32{uint32(row)}; len(open) > 0; {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			if !seen[at] {
				seen[at] = true
				open = append(open, next[at]...)
			}
		}
	}
	return components
}

// checkStore seals the store and compares its lists.
func checkStore(t *testing.T, b *build.Build, want [][]uint32, checksum string) {
	t.Helper()
	dir := b.Draft.Dir()
	if err := b.Draft.Seal(t.Context(), struct{}{}); err != nil {
		t.Fatal(err)
	}
	b.Draft.Close()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for row, list := range want {
		got, _, err := s.Keyed(store.Row(row), nil, nil)
		if err != nil || !slices.Equal(got, list) {
			t.Fatalf("row %d has %v, %v, want %v", row, got, err, list)
		}
	}
	gt := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(len(want))), uint32(b.K))
	for _, list := range want {
		for _, other := range list {
			gt = binary.LittleEndian.AppendUint32(gt, other)
		}
	}
	placeOf := b.PlaceOf(len(want))
	for row, list := range want {
		for _, other := range list {
			key := b.Space.Key(b.Rows.Row(int(placeOf[row])), b.Rows.Row(int(placeOf[other])), 0, 0)
			gt = binary.LittleEndian.AppendUint32(gt, math.Float32bits(key))
		}
	}
	if sum := sha256.Sum256(gt); checksum != hex.EncodeToString(sum[:]) {
		t.Errorf("checksum %s, want %x", checksum, sum)
	}
}

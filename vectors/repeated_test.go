package vectors

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// TestFirstOf: equal rows name the first of them, whatever their hashes say.
func TestFirstOf(t *testing.T) {
	const n, dim = 3000, 3
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	data := make([]byte, n*dim)
	for i := range data {
		data[i] = byte(rng.IntN(9))
	}
	rows, err := RowsOf(data, n, dim, dim, Uint8)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]uint32, n)
	seen := map[string]uint32{}
	for i := range n {
		row := string(rows.Row(i))
		if _, ok := seen[row]; !ok {
			seen[row] = uint32(i)
		}
		want[i] = seen[row]
	}
	for name, hash := range map[string]func([]byte) uint64{
		"xxhash":       xxhash.Sum64,
		"one hash":     func([]byte) uint64 { return 7 },
		"three hashes": func(row []byte) uint64 { return xxhash.Sum64(row) % 3 },
	} {
		for _, threads := range []int{1, 3} {
			told := 0
			got, err := firstOf(rows, AuditOptions{Threads: threads, Progress: func(n int) { told += n }}, hash)
			if err != nil || !slices.Equal(got, want) || told != n {
				t.Errorf("%s, %d threads: %v, %d rows told, or the wrong rows", name, threads, err, told)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FirstOf(rows, AuditOptions{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

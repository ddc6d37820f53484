package builder_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
)

// counted is a distance of one's own that counts how often each pair is paid
// for: the largest difference of any coordinate.
type counted struct {
	data []float32
	dim  int
	slow time.Duration

	mu    sync.Mutex
	calls map[[2]store.Row]int
	limit int // after so many calls, errStop
	total int
}

var errEnough = errors.New("enough")

func (c *counted) key(a, b store.Row) (float32, error) {
	c.mu.Lock()
	c.total++
	over := c.limit > 0 && c.total > c.limit
	if !over {
		c.calls[[2]store.Row{min(a, b), max(a, b)}]++
	}
	c.mu.Unlock()
	if over {
		return 0, errEnough
	}
	for began := time.Now(); time.Since(began) < c.slow; {
	}
	var most float64
	for i := range c.dim {
		most = max(most, math.Abs(float64(c.data[int(a)*c.dim+i]-c.data[int(b)*c.dim+i])))
	}
	return float32(most), nil
}

func TestOwnDistanceNeverPaysTwice(t *testing.T) {
	const n, dim = 600, 6
	data := clustered(9, n, dim)
	dir := filepath.Join(t.TempDir(), "g")
	c := &counted{data: data, dim: dim, slow: 30 * time.Microsecond, calls: map[[2]store.Row]int{}}
	o := builder.Options{K: 5, Method: builder.Paper, LeafSize: 50, Paper: builder.PaperOptions{Visits: 40}, Divisions: 3, Rounds: 1,
		Distance: &builder.Distance{Name: "chebyshev", Version: 1, Key: c.key}}

	// Interrupted by errors again and again, as a crash would, then finished.
	interruptions := 0
	var res *builder.Result
	for {
		c.mu.Lock()
		c.limit = c.total + 5000
		c.mu.Unlock()
		var err error
		if res, err = builder.Build(context.Background(), dir, input(t, data, dim), o); err == nil {
			break
		}
		if !errors.Is(err, errEnough) {
			t.Fatal(err)
		}
		if interruptions++; interruptions > 100 {
			t.Fatal("no end")
		}
	}
	if interruptions == 0 || res.PairCache != "pairs" {
		t.Fatalf("%d interruptions, pair cache %s", interruptions, res.PairCache)
	}
	// The cost of the distance is measured on three pairs, three times a run.
	twice := 0
	for _, calls := range c.calls {
		if calls > 1 {
			twice++
		}
	}
	t.Logf("%d interruptions, %d pairs, %d calls, %d pairs paid for twice", interruptions, len(c.calls), c.total, twice)
	if twice > 0 {
		t.Errorf("%d pairs were paid for twice", twice)
	}
	straight := &counted{data: data, dim: dim, calls: map[[2]store.Row]int{}}
	o.Distance = &builder.Distance{Name: "chebyshev", Version: 1, Key: straight.key}
	o.PairCache = builder.Off
	want, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	checkLists(t, lists, 5)
	if want.Checksum != res.Checksum {
		t.Errorf("checksum %s with interruptions and cache, %s without", res.Checksum, want.Checksum)
	}
}

func TestOwnDistanceFaults(t *testing.T) {
	data := clustered(9, 50, 3)
	for _, bad := range []func(a, b store.Row) (float32, error){
		func(a, b store.Row) (float32, error) { return float32(math.NaN()), nil },
		func(a, b store.Row) (float32, error) { return 0, errEnough },
	} {
		_, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), input(t, data, 3),
			builder.Options{K: 3, Distance: &builder.Distance{Name: "bad", Version: 1, Key: bad}})
		if err == nil {
			t.Error("no error")
		}
	}
}

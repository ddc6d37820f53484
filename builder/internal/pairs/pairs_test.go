package pairs_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/pairs"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/store"
)

// TestKeys: a distance is asked for rows of the input, the lower first, and gives the keys between
// their places.
func TestKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var order []uint32
	for _, row := range rng.Perm(50) {
		order = append(order, uint32(row))
	}
	d := &pairs.Distance{Name: "difference", Key: func(a, b store.Row) (float32, error) {
		if a >= b {
			t.Errorf("rows %d and %d do not ascend", a, b)
		}
		return float32(b - a), nil
	}}
	keys := d.Keys(t.Context(), order)
	ids, out := []uint32{3, 40, 7, 0}, make([]float32, 4)
	if n, err := keys(9, ids, out); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	for i, id := range ids {
		if want := float32(math.Abs(float64(order[9]) - float64(order[id]))); out[i] != want {
			t.Errorf("places 9 and %d: %v, want %v", id, out[i], want)
		}
	}
}

// TestFaults: a key that orders nothing, an error and an end between two evaluations are errors that
// name the distance and the rows; the pairs before count.
func TestFaults(t *testing.T) {
	failed := errors.New("failed")
	for name, key := range map[string]func() (float32, error){
		"value NaN, want a finite number":  func() (float32, error) { return float32(math.NaN()), nil },
		"value -Inf, want a finite number": func() (float32, error) { return float32(math.Inf(-1)), nil },
		"failed":                           func() (float32, error) { return 0, failed },
	} {
		d := &pairs.Distance{Name: "mine", Key: func(a, b store.Row) (float32, error) {
			if b == 5 {
				return key()
			}
			return 1, nil
		}}
		n, err := d.Keys(t.Context(), []uint32{0, 1, 2, 3, 4, 5})(2, []uint32{0, 1, 5, 3}, make([]float32, 4))
		if n != 2 || err == nil || err.Error() != "distance mine of rows 2 and 5: "+name {
			t.Errorf("%d keys, then %v, want 2, then %s", n, err, name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	d := &pairs.Distance{Key: func(a, b store.Row) (float32, error) { cancel(); return 0, nil }}
	if n, err := d.Keys(ctx, []uint32{0, 1, 2})(0, []uint32{1, 2}, make([]float32, 2)); n != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d keys, then %v", n, err)
	}
}

// TestKept: an expensive distance is evaluated once for each pair, also by a build that goes on, and the
// keys are those of the distance; a cheap one, and one whose pairs are not to be kept, each time.
func TestKept(t *testing.T) {
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 2)), 40, 3, 256)
	for _, c := range []struct {
		name          string
		always, never bool
		takes         time.Duration
		form          string
	}{
		{"expensive", false, false, 2 * pairs.KeptFrom, "pairs"},
		{"expensive, not kept", false, true, 2 * pairs.KeptFrom, "off"},
		{"cheap, kept", true, false, 0, "pairs"},
	} {
		b := buildtest.New(t, rows, space, 3)
		var asked atomic.Int64
		own := &pairs.Distance{Name: c.name, Key: func(x, y store.Row) (float32, error) {
			asked.Add(1)
			for began := time.Now(); time.Since(began) < c.takes; {
			}
			return float32(x*100 + y), nil
		}}
		all := int64(0)
		for run := range 2 {
			p := pairs.New(own, c.always, c.never)
			if err := p.Choose(b); err != nil {
				t.Fatal(err)
			}
			keys, out := p.Keys(b), make([]float32, rows.Len())
			for range 2 {
				for x := range uint32(rows.Len()) {
					ids := slices.DeleteFunc(slices.Clone(b.Order), func(id uint32) bool { return id == x })
					if _, err := keys(x, ids, out); err != nil {
						t.Fatal(err)
					}
					all += int64(len(ids))
					for i, id := range ids {
						if want := float32(min(x, id)*100 + max(x, id)); out[i] != want {
							t.Fatalf("%s: rows %d and %d have %v, want %v", c.name, x, id, out[i], want)
						}
					}
				}
			}
			if form := p.Form(b.Skip); form != c.form {
				t.Errorf("%s: run %d has form %s, want %s", c.name, run, form, c.form)
			}
			p.Close()
		}
		switch n := int64(rows.Len()); {
		case c.form == "pairs" && asked.Load() != n*(n-1)/2:
			t.Errorf("%s: %d evaluations of %d pairs", c.name, asked.Load(), n*(n-1)/2)
		case c.form == "off" && asked.Load() < all:
			t.Errorf("%s: %d evaluations, %d were asked for", c.name, asked.Load(), all)
		}
	}
}

// TestForms: the metric of a space keeps no keys; leaves skip pairs where that is asked for.
func TestForms(t *testing.T) {
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 3)), 30, 3, 256)
	for _, always := range []bool{false, true} {
		b := buildtest.New(t, rows, space, 3)
		p := pairs.New(nil, always, !always)
		if err := p.Choose(b); err != nil {
			t.Fatal(err)
		}
		if form := p.Form(b.Skip); b.Skip != always || strings.HasPrefix(form, "shared") != always {
			t.Errorf("skip pairs: %v, as %s, want %v", b.Skip, form, always)
		}
		p.Close()
	}
}

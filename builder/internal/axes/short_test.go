package axes_test

import (
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/builder/internal/axes"
	"github.com/knng/knng/vectors/codes"
)

// TestShort: short codes are taken where they lose less than is allowed, by the truth or by
// a sample, and not where neighbors differ by less than they tell.
func TestShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	spread := flat(t, rng, 800, 32, 12, 20)
	islands := make([]byte, 800*32) // far from each other, each of rows that lie near
	for i := range islands {
		islands[i] = byte(10 + 230*(i/32%30*(1+i%32)%2) + rng.IntN(3))
	}
	for name, m := range map[string]*codes.Matrix{"spread": spread, "islands": codesOf(t, islands, 800, 32)} {
		var truth axes.Lists
		for x := uint32(0); x < 800; x += 10 {
			truth.Rows = append(truth.Rows, x)
		}
		truth.Neighbors, _ = near(m, truth.Rows, 10)
		for _, known := range []axes.Lists{truth, {}} {
			c := axes.Choice{K: 10, Candidates: 14, Loss: 0.01, Threads: 2, Near: near, Truth: known}
			short, err := c.Short(m, m.Shortening(), make([]byte, m.ShortBytes()))
			if err != nil {
				t.Fatal(err)
			}
			if short != nil {
				if lost := missing(m, short, 10, 14); lost > 0.02 {
					t.Errorf("%s: short codes lose %.4f", name, lost)
				}
			}
			if taken := short != nil; taken != (name == "spread") {
				t.Errorf("%s, %d rows known: short codes taken: %v", name, len(known.Rows), taken)
			}
			c.Loss = 0
			if short, err := c.Short(m, m.Shortening(), make([]byte, m.ShortBytes())); short != nil || err != nil {
				t.Errorf("%s: short codes where nothing may be lost, or %v", name, err)
			}
		}
	}
}

// TestShortAxes: along axes codes are short where they lose little enough, by the truth or by a
// sample, and bytes where neighbors differ by less than six bits tell.
func TestShortAxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 41))
	const n, dim = 1000, 256
	islands := make([]byte, n*dim) // far from each other, each of rows that lie near, along few directions
	for i := range n {
		var along [4]int
		for j := range along {
			along[j] = rng.IntN(7) - 3
		}
		for c := range dim {
			islands[i*dim+c] = byte(14 + 220*(i%8>>(c%3)&1) + along[c/3%4]*(1+c%2))
		}
	}
	for name, m := range map[string]*codes.Matrix{"spread": flat(t, rng, n, dim, 30, 8), "islands": codesOf(t, islands, n, dim)} {
		var truth axes.Lists
		for x := uint32(0); x < n; x += 10 {
			truth.Rows = append(truth.Rows, x)
		}
		truth.Neighbors, _ = near(m, truth.Rows, 10)
		for _, known := range []axes.Lists{truth, {}} {
			c := axes.Choice{K: 10, Candidates: 18, Loss: 0.01, Threads: 2, Near: near, Truth: known}
			chosen, err := c.Choose(m)
			if err != nil || chosen == nil {
				t.Fatal(name, chosen, err)
			}
			along, err := chosen.Codes.First(chosen.Axes.Count)
			if err != nil {
				t.Fatal(err)
			}
			lost := missing(m, along, 10, 18)
			t.Logf("%s, %d rows known: %d axes, short %v, lose %.4f", name, len(known.Rows), chosen.Axes.Count, chosen.Axes.Short, lost)
			if chosen.Axes.Short != (name == "spread") || lost > 0.03 {
				t.Errorf("%s, %d rows known: %d axes, short %v, lose %.4f", name, len(known.Rows), chosen.Axes.Count, chosen.Axes.Short, lost)
			}
		}
	}
}

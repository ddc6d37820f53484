package fit

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// made is a set on which value v of every constant takes times[v] of the default's time.
func made(name string, times ...float64) *Fronts {
	f := &Fronts{Set: name}
	for _, k := range Constants {
		var values [][]float64
		for v := range k.Values {
			s := times[v]
			values = append(values, []float64{s, 2 * s, 3 * s})
		}
		f.Seconds = append(f.Seconds, values)
	}
	return f
}

// TestLeftOut: a set has no say in what is chosen for it.
func TestLeftOut(t *testing.T) {
	sets := []*Fronts{made("a", 1, 0.5, 2), made("b", 1, 1.2, 0.9), made("c", 1, 1.1, 1.5)}
	for c := range Constants {
		for i, want := range []struct{ chosen, best int }{{0, 1}, {1, 2}, {1, 0}} {
			chosen, best := Chosen(sets, c, i)
			if chosen != want.chosen || best != want.best {
				t.Errorf("without %s: chosen %d, best there %d, want %+v", sets[i].Set, chosen, best, want)
			}
		}
	}
}

// TestOutOfReach: a recall that only the default reaches counts against a value.
func TestOutOfReach(t *testing.T) {
	f := made("a", 1, 1, 1)
	f.Seconds[0][1][2] = 0
	if got, want := f.Over(0, 1), math.Exp(math.Ln2/3); math.Abs(got-want) > 1e-12 {
		t.Errorf("over %v, want %v", got, want)
	}
	f.Seconds[0][0][2] = 0 // nor the default: says nothing
	if got := f.Over(0, 1); got != 1 {
		t.Errorf("over %v, want 1", got)
	}
}

// TestRun: every setting is built and read.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	rows, err := generate.New(3000, 24, vectors.Uint8, 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "made.u8bin")
	if err := rows.Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	c := Config{Options: builder.Options{K: 5, Method: builder.Balls}, Repeats: 1, Sample: 200, Scratch: dir}
	f, err := c.Run(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	Report(&b, []*Fronts{f, f})
	for _, k := range Constants {
		if strings.Count(b.String(), k.Name) != len(k.Values)+2 {
			t.Errorf("%q stands %d times in\n%s", k.Name, strings.Count(b.String(), k.Name), &b)
		}
	}
}

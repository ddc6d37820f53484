package plan_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
)

// A recorded build: knng build of real rows on one thread, by processor time, with AVX2.
type recorded struct {
	Args       []string
	Build, All float64 // seconds, without and with the links of search
	Shape      plan.Shape
	Rates      *plan.Rates // nil: not measured
	Aim        plan.Aim
	Events     []struct {
		At          float64
		Phase       string
		Done, Total int64
		End         bool
		Stand       *plan.Stand // in place of an event: what the stages have found
	}
}

// rates are as they were measured, or those that a short build goes by.
func (r *recorded) rates() plan.Rates {
	if r.Rates != nil {
		return *r.Rates
	}
	s := r.Shape
	s.Kernel = "avx2"
	return plan.Nominal(s, 1)
}

// play returns the moments and what was left then, the truth beside it, with rates as many
// times as fast as they were.
func (r *recorded) play(fast float64) (said []said) {
	rates := r.rates()
	for _, rate := range []*float64{&rates.Leaf, &rates.Tile, &rates.Screen, &rates.Keys, &rates.Touched, &rates.Hashed, &rates.Read, &rates.Written} {
		*rate *= fast
	}
	w := progress.NewWhole(nil, nil)
	expect := func(p *plan.Plan) {
		w.Expect(p.Left)
		w.Then(p.LinksSeconds / p.Seconds)
	}
	expect(plan.Of(r.Shape, rates))
	began := map[string]float64{}
	for _, at := range r.Events {
		if at.Stand != nil {
			s := r.Shape
			s.Divisions, s.Rounds = ahead(s.Method, r.Aim, *at.Stand)
			expect(plan.Of(s, rates).Found())
			continue
		}
		if _, open := began[at.Phase]; !open {
			began[at.Phase] = at.At
		}
		e := progress.Event{Phase: at.Phase, Done: at.Done, Total: at.Total, End: at.End, Elapsed: time.Duration((at.At - began[at.Phase]) * 1e9)}
		if w.See(&e); at.End {
			delete(began, at.Phase)
		}
		said = append(said, saidAt(at.At, at.Phase, e.Left.Seconds(), r.All-at.At))
	}
	return said
}

func ahead(method string, aim plan.Aim, s plan.Stand) (leaves int, rounds float64) {
	if method == "parts" {
		return aim.PartsAhead(s), 0
	}
	return aim.Ahead(s)
}

// passes lists the seconds of passes as planned in the end and as they went.
func (r *recorded) passes() (text string) {
	s, took, began := r.Shape, map[string]float64{}, map[string]float64{}
	var order []string
	for _, at := range r.Events {
		if at.Stand != nil {
			s.Divisions, s.Rounds = ahead(s.Method, r.Aim, *at.Stand)
			continue
		}
		if _, open := began[at.Phase]; !open {
			began[at.Phase] = at.At
			order = append(order, at.Phase)
		}
		if at.End {
			took[at.Phase] += at.At - began[at.Phase]
			delete(began, at.Phase)
		}
	}
	for _, phase := range order {
		text += fmt.Sprintf("%s %.2f, ", phase, took[phase])
	}
	text += "planned: "
	p := plan.Of(s, r.rates())
	for _, pass := range p.Passes {
		text += fmt.Sprintf("%s %.2f, ", pass.Name, pass.Seconds)
	}
	return text + fmt.Sprintf("links %.2f; took %.2f", p.LinksSeconds, r.All-r.Build)
}

// said is what was said to be left, and the truth.
type said struct {
	at          float64
	phase       string
	left, truth float64
}

func saidAt(at float64, phase string, left, truth float64) said { return said{at, phase, left, truth} }

// wrong reports whether it is outside a factor of 1.5.
func (s said) wrong() bool { return s.left > 1.5*s.truth || s.left < s.truth/1.5 }

// TestLeftOfRecordedBuilds: of builds as they went, on machines as fast as measured, a fifth of that
// or five times that, hardly any time left is outside a factor of 1.5 from a tenth of the build on
// to the last twentieth.
func TestLeftOfRecordedBuilds(t *testing.T) {
	files, err := filepath.Glob("testdata/left/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, fast := range []float64{1, 0.2, 5} {
			t.Run(fmt.Sprintf("%s at %g", filepath.Base(file), fast), func(t *testing.T) {
				text, err := os.ReadFile(file)
				var r recorded
				if err == nil {
					err = json.Unmarshal(text, &r)
				}
				if err != nil {
					t.Fatal(err)
				}
				r.Shape.Kind = kinds[r.Shape.Method]
				all := r.play(fast)
				all = slices.DeleteFunc(all, func(s said) bool { return s.at < r.All/10 || s.truth < r.All/20 })
				outside := 0
				t.Log(r.passes())
				for _, s := range all {
					mark := ""
					if s.wrong() {
						outside++
						mark = " <"
					}
					t.Logf("%3.0f %% %-14s %5.2f s left, truly %5.2f: %.2f%s", 100*s.at/r.All, s.phase, s.left, s.truth, s.left/s.truth, mark)
				}
				if len(all) < 10 || float64(outside) > mayBeOutside[fast]*float64(len(all)) {
					t.Errorf("%d of %d outside", outside, len(all))
				}
			})
		}
	}
}

// mayBeOutside is the share of the times left that may be wrong by more than a half, where rates
// are as measured, and where they are all wrong.
var mayBeOutside = map[float64]float64{1: 0.1, 0.2: 0.15, 5: 0.15}

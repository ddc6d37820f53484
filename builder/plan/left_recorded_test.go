package plan_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
)

// A recorded build, as go run ./bench/cmd/left -record writes it.
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

// outlook is that of the build at its beginning, or where its stages have come so far.
func (r *recorded) outlook(rates plan.Rates, stand *plan.Stand) (o plan.Outlook) {
	if stand != nil { // those of a part of a round were recorded during it
		stand.Open = stand.Rounds - math.Floor(stand.Rounds)
	}
	for _, way := range plan.Lucks {
		s, aim := r.Shape, r.Aim
		aim.Luck = way.Luck
		switch {
		case s.Kind != plan.Balls && s.Kind != plan.Groups:
		case stand != nil:
			s.Divisions, s.Rounds = aim.Ahead(s.Kind, *stand)
		case s.Kind == plan.Groups:
			s.Divisions = aim.Parts(float64(s.Rows) * float64(s.Overlap) / float64(s.Parts.Leaders))
		default:
			s.Divisions, s.Rounds = aim.Balls()
		}
		p := plan.Of(s, rates)
		if r.All > r.Build {
			p.After = p.LinksSeconds
		}
		o = append(o, plan.Way{Plan: p, Chance: way.Chance})
	}
	return o
}

// play returns the moments and what was left then, the truth beside it, with rates as many
// times as fast as they were.
func (r *recorded) play(fast float64) (told []said) {
	rates := r.rates()
	for _, rate := range []*float64{&rates.Leaf, &rates.Tile, &rates.Screen, &rates.Keys, &rates.Touched, &rates.Hashed, &rates.Read, &rates.Written} {
		*rate *= fast
	}
	w := progress.NewWhole(nil, nil)
	w.Expect(r.outlook(rates, nil).Left)
	began := map[string]float64{}
	share := 0.0
	for _, at := range r.Events {
		if at.Stand != nil {
			w.Expect(r.outlook(rates, at.Stand).Left)
			continue
		}
		if _, open := began[at.Phase]; !open {
			began[at.Phase] = at.At
		}
		e := progress.Event{Phase: at.Phase, Done: at.Done, Total: at.Total, End: at.End, Elapsed: time.Duration((at.At - began[at.Phase]) * 1e9)}
		if w.See(&e); at.End {
			delete(began, at.Phase)
		}
		told = append(told, said{at.At, at.Phase, e.Left.Seconds(), r.All - at.At, e.Share < share || e.Share > 1})
		share = e.Share
	}
	return told
}

// said is what was said to be left, and the truth.
type said struct {
	at          float64
	phase       string
	left, truth float64
	fell        bool // the share did, or was more than 1
}

// within reports whether it is within a factor.
func (s said) within(factor float64) bool { return s.left < factor*s.truth && s.left > s.truth/factor }

// readings are the last words at even moments, a hundredth of the build apart, from a tenth of it on
// to the last twentieth: so are they read. The links of search, where those follow, tell of themselves.
func (r *recorded) readings(told []said) (readings []said) {
	for hundredth := 10; hundredth <= 95; hundredth++ {
		at := r.All * float64(hundredth) / 100
		i, _ := slices.BinarySearchFunc(told, at, func(s said, at float64) int { return cmp.Compare(s.at, at) })
		if i == 0 || i == len(told) {
			continue
		}
		s := told[i-1]
		s.left, s.truth, s.at = max(0, s.left-(at-s.at)), r.All-at, at
		readings = append(readings, s)
	}
	return readings
}

// beyond is the share of the readings of a build that may be outside a factor of 1.5: more where the machine is
// taken to be five times as fast or slow as it is, or where a build takes a second or two, and one guess of its stages is
// most of it.
func (r *recorded) beyond(fast float64) float64 {
	switch {
	case r.All < 2.5:
		return 0.4
	case fast != 1:
		return 0.2
	}
	return 0.15
}

// TestLeftOfRecordedBuilds: of builds as they went, on machines as fast as measured, a fifth of that or five times that,
// most of the times left are within a factor of 1.5 from a tenth of the build on to the last twentieth, and all
// within 3. The share never falls.
func TestLeftOfRecordedBuilds(t *testing.T) {
	files, err := filepath.Glob("testdata/left/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		r := readRecorded(t, file)
		for _, fast := range []float64{1, 0.2, 5} {
			t.Run(fmt.Sprintf("%s at %g", filepath.Base(file), fast), func(t *testing.T) {
				told := r.play(fast)
				for _, s := range told {
					if s.fell {
						t.Errorf("%s at %g s: the share fell", s.phase, s.at)
					}
				}
				outside, readings := 0, r.readings(told)
				for _, s := range readings {
					mark := ""
					if !s.within(1.5) {
						outside++
						mark = " <"
					}
					if !s.within(3) {
						t.Errorf("%s at %g s: %.2f s left, truly %.2f", s.phase, s.at, s.left, s.truth)
					}
					t.Logf("%3.0f %% %-14s %5.2f s left, truly %5.2f: %.2f%s", 100*s.at/r.All, s.phase, s.left, s.truth, s.left/s.truth, mark)
				}
				if len(readings) < 60 || float64(outside) > r.beyond(fast)*float64(len(readings)) {
					t.Errorf("%d of %d outside", outside, len(readings))
				}
				t.Logf("%d of %d outside a factor of 1.5", outside, len(readings))
			})
		}
	}
}

func readRecorded(t *testing.T, file string) *recorded {
	text, err := os.ReadFile(file)
	r := new(recorded)
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Shape.Kind = kinds[r.Shape.Method]
	return r
}

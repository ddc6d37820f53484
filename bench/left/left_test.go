package left_test

import (
	"strings"
	"testing"

	"github.com/knng/knng/bench/left"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]float64{
		`{"phase":"order","share":0.2,"left_seconds":12.5}`:                                               12.5,
		"[####....] division 1: 5 of 10 rows, 12/s; in all 31 %, 1m5s left; memory 3 bytes, disk 4 bytes": 65,
		"links (2.00 s); in all 95 %, 9.00 s left":                                                        9,
	} {
		if got, ok := left.Parse(line); !ok || got != want {
			t.Errorf("%s: %g, %v, want %g", line, got, ok, want)
		}
	}
	for _, line := range []string{"", "{", `{"phase":"order"}`, "order: 5 of 10 rows, 12/s, 5.00 s left"} {
		if got, ok := left.Parse(line); ok {
			t.Errorf("%s: %g, want nothing: it tells of no whole", line, got)
		}
	}
}

// TestOutside: readings before a tenth and in the last seconds do not count; the others do, by
// the factor.
func TestOutside(t *testing.T) {
	run := &left.Run{Seconds: 100, Said: []left.Reading{{At: 5, Left: 1000}, {At: 20, Left: 80}, {At: 50, Left: 76}, {At: 60, Left: 26}, {At: 70, Left: 44}, {At: 99, Left: 50}}}
	if outside, all := run.Outside(run.Said, 1.5, 2); outside != 2 || all != 4 {
		t.Errorf("%d of %d outside, want 2 of 4", outside, all)
	}
	var text strings.Builder
	if err := left.Table(&text, map[string]*left.Run{"bar": run}); err != nil || !strings.Contains(text.String(), "| 50 % | 50.0 s | 76.0 s |  |") {
		t.Errorf("%v: %s", err, text.String())
	}
}

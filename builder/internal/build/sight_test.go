package build

import (
	"testing"

	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
)

// TestCeilingOfSortedRows: the rows that tell the ceiling first are of all the input, not of its
// beginning: of sorted rows codes may tell the first and not the last.
func TestCeilingOfSortedRows(t *testing.T) {
	looked := 0
	ceiling, blind, err := CeilingOf(256, 0.95, func(some []int) ([]float64, error) {
		looked += len(some)
		per := make([]float64, len(some))
		for i, at := range some {
			if at < 192 {
				per[i] = 1
			}
		}
		return per, nil
	})
	if ceiling != 0.75 || !blind || err != nil || looked != sightRows+256 {
		t.Errorf("ceiling %v of %d rows, blind %v, %v; want 0.75 of %d, blind", ceiling, looked, blind, err, sightRows+256)
	}
}

// TestLeadPairs: divisions by codes before keys count as many leaves as are planned; where options limit a
// build it compares no pairs instead, and they do not count.
func TestLeadPairs(t *testing.T) {
	b := &Build{Set: Settings{LeafSize: 1000}, Points: points.Points{Order: make([]uint32, 60_000)}}
	if got := b.leadPairs(); got != 0 {
		t.Errorf("without a plan %v pairs a row", got)
	}
	b.State.Expected = &plan.Plan{Divisions: 16}
	if got := b.leadPairs(); got != 8000 {
		t.Errorf("in 16 leaves of 1,000 rows %v pairs a row", got)
	}
	b.Goal.Divisions = 16
	if got := b.leadPairs(); got != 0 {
		t.Errorf("limited, %v pairs a row", got)
	}
}

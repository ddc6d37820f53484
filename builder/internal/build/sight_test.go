package build

import "testing"

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

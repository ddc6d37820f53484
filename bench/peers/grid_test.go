package peers

import (
	"slices"
	"testing"

	"github.com/knng/knng/vectors/distance"
)

// TestPartsAreOfTheMachine: what takes arithmetic away runs here, and differs from what
// runs without being asked for.
func TestPartsAreOfTheMachine(t *testing.T) {
	for _, s := range Parts() {
		name, _ := s.Parameters["kernel"].(string)
		if at := slices.Index(distance.Kernels(), name); at < 1 {
			t.Errorf("kernel %q is number %d of %v", name, at, distance.Kernels())
		}
	}
}

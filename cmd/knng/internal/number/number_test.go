package number_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/knng/knng/cmd/knng/internal/number"
)

// TestJSON: numbers are written as encoding/json writes them, and null where it fails.
func TestJSON(t *testing.T) {
	inf := math.Inf(1)
	got, err := json.Marshal([]any{number.Float32(0.1), number.Float64(0.1), number.Float32(inf), number.Float32(-inf), number.Float64(inf), number.Float64(math.NaN())})
	if want := "[0.1,0.1,null,null,null,null]"; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

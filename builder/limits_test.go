package builder_test

import (
	"context"
	"math/bits"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// shaped is an input of any size that has no rows to read.
type shaped struct{ n, dim int }

func (s shaped) Len() int                       { return s.n }
func (s shaped) Dim() int                       { return s.dim }
func (s shaped) Type() vectors.Type             { return vectors.Uint8 }
func (s shaped) ReadRows(_ int, _ []byte) error { panic("refused inputs are not read") }

// TestLimits: what a graph cannot hold is refused at the door, with what was
// found and what is allowed.
func TestLimits(t *testing.T) {
	beyond := int64(vectors.MaxRows) + 1
	for _, c := range []struct {
		in   shaped
		k    int
		says string
	}{
		{shaped{int(beyond), 4}, 5, "has 4294967296 rows, at most 4294967295"},
		{shaped{0, 4}, 5, "no rows"},
		{shaped{10, vectors.MaxDim + 1}, 5, "dimension 65537, want 1 to 65536"},
		{shaped{10, 0}, 5, "dimension 0, want"},
		{shaped{10, 4}, builder.MaxK + 1, "K is 4097, want 1 to 4096"},
		{shaped{10, 4}, -1, "K is -1"},
	} {
		if int64(c.in.n) != beyond && c.in.n < 0 || bits.UintSize < 64 && c.in.n == 0 {
			continue // an int here does not count so far
		}
		_, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), vectors.NewInput(c.in), builder.Options{K: c.k})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d rows of %d, k %d: %v, want an error that says %q", c.in.n, c.in.dim, c.k, err, c.says)
		}
	}
}

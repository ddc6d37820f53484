package builder_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestMemoryNamesTheWayOut: where a method needs more memory than it may take the refusal names the
// method that needs less, or says that none does.
func TestMemoryNamesTheWayOut(t *testing.T) {
	defer builder.SmallParts(3<<20, 1<<19)()
	const dim = 4
	in := input(t, clustered(36, 60_000, dim), dim)
	for metric, wants := range map[distance.Metric]string{
		distance.IP: "method parts needs ",
		distance.L1: "method parts needs ",
	} {
		o := builder.Options{K: 100, Metric: metric, Method: builder.Balls, BadRows: builder.Isolate, Memory: 12 << 20}
		_, err := builder.Build(t.Context(), filepath.Join(t.TempDir(), "g"), in, o)
		if !errors.Is(err, builder.ErrMemory) || !strings.Contains(err.Error(), wants) {
			t.Errorf("%v: %v; want a refusal with %q", metric, err, wants)
		}
	}
}

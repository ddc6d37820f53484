package builder_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestPartsNamesTheMethodToUse: the parts method takes a metric, or names the method that does.
func TestPartsNamesTheMethodToUse(t *testing.T) {
	for _, metric := range distance.All() {
		o := builder.Options{K: 10, Metric: metric, Method: builder.Parts}
		err := o.Validate()
		if metric.Gathers() && metric.Coded() {
			if err != nil {
				t.Errorf("%v: %v", metric, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), metric.String()) || !strings.Contains(err.Error(), "method balls") {
			t.Errorf("%v: %v, want an error that names the metric and method balls", metric, err)
		}
		if o.Method = builder.Balls; o.Validate() != nil {
			t.Errorf("%v: method balls: %v", metric, o.Validate())
		}
	}
}

// TestMemoryNamesTheWayOut: where a method needs more memory than it may take, and parts does not
// know the metric, the refusal names the method that needs less, or says that none does.
func TestMemoryNamesTheWayOut(t *testing.T) {
	const dim = 16
	in := input(t, clustered(36, 120_000, dim), dim)
	for metric, wants := range map[distance.Metric]string{
		distance.IP: "method exact needs ",
		distance.L1: "method parts does not know the metric l1",
	} {
		o := builder.Options{K: 20, Metric: metric, Method: builder.Balls, BadRows: builder.Isolate, Memory: 12 << 20}
		_, err := builder.Build(t.Context(), filepath.Join(t.TempDir(), "g"), in, o)
		if !errors.Is(err, builder.ErrMemory) || !strings.Contains(err.Error(), wants) {
			t.Errorf("%v: %v; want a refusal with %q", metric, err, wants)
		}
	}
}

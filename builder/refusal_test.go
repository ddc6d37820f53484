package builder_test

import (
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

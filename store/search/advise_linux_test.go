package search

import (
	"os"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestAdvised: where memory does not hold the rows, the system reads nothing beside a page of them, be they the store's or
// their copy.
func TestAdvised(t *testing.T) {
	for method, name := range map[builder.Method]string{builder.Balls: "vectors/rows", builder.Parts: "search/rows"} {
		s := searcher(t, scattered(t, method, distance.Euclidean), Options{Budget: nearBudget})
		maps, err := os.ReadFile("/proc/self/smaps")
		if err != nil {
			t.Skip(err)
		}
		_, of, found := strings.Cut(string(maps), s.g.Dir()+"/"+name)
		_, flags, _ := strings.Cut(of, "VmFlags:")
		flags, _, _ = strings.Cut(flags, "\n")
		if !found || !strings.Contains(flags, " rr") {
			t.Errorf("%s: found %v, flags %q, want rr among them", name, found, flags)
		}
	}
}

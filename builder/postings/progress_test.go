package postings

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestTimeLeft: from the index on a build tells its share of the whole, which never falls, and the
// time left, which is nothing at the end.
func TestTimeLeft(t *testing.T) {
	src := save(t, 200, texts(rand.New(rand.NewPCG(36, 5)), 3000, 200, false))
	share, told := 0.0, 0
	var last builder.Event
	o := builder.Options{K: 5, Metric: distance.Cosine, Threads: 1, Progress: func(e builder.Event) {
		if e.Phase == "exact" && e.Done > 0 {
			told++
			if e.Share <= 0 || e.Left < 0 {
				t.Errorf("%d of %d blocks: a share of %v, %v left", e.Done, e.Total, e.Share, e.Left)
			}
		}
		if e.Share < share {
			t.Errorf("%s: a share of %v after %v", e.Phase, e.Share, share)
		}
		share = max(share, e.Share)
		last = e
	}}
	_, err := Build(context.Background(), filepath.Join(t.TempDir(), "g"), src, o)
	must(t, err)
	if told == 0 || last.Share < 0.9 || last.Left > last.Elapsed+1e9 {
		t.Errorf("%d events of all pairs; at the end a share of %v, %v left", told, last.Share, last.Left)
	}
}

package job

import (
	"testing"

	"github.com/knng/knng/builder/progress"
)

// TestBounded: of a report that no build wrote, the share and the times are such as a build can go on from.
func TestBounded(t *testing.T) {
	for _, c := range []struct{ told, want progress.Told }{
		{progress.Told{Share: 0.5, Left: 60, Seconds: 30}, progress.Told{Share: 0.5, Left: 60, Seconds: 30}},
		{progress.Told{Share: -1, Left: -1e300, Seconds: -5}, progress.Told{}},
		{progress.Told{Share: 7, Left: 1e300, Seconds: 1e300}, progress.Told{Share: mostBefore, Left: 1e9, Seconds: 1e9}},
	} {
		if got := bounded(c.told); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.told, got, c.want)
		}
		w := progress.NewWhole(nil, func() (memory, disk int64) { return 0, 0 })
		got := bounded(c.told)
		w.GoOn(got.Share, got.Left)
		if left := w.Latest().Left.Seconds(); left != c.want.Left {
			t.Errorf("%+v: %v seconds left, want %v", c.told, left, c.want.Left)
		}
	}
}

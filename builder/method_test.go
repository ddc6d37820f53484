package builder

import (
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

func TestAutoChooses(t *testing.T) {
	for _, c := range []struct {
		o    Options
		n, d int
		t    vectors.Type
		want Method
	}{
		{Options{}, 1000, 100, vectors.Float32, Exact},
		{Options{}, 6001, 100, vectors.Float32, Exact},
		{Options{}, 7000, 100, vectors.Float32, Balls},
		{Options{}, 30000, 128, vectors.Uint8, Exact},
		{Options{}, 30000, 784, vectors.Uint8, Balls},
		{Options{Metric: distance.Cosine}, 30000, 128, vectors.Uint8, Balls},
		{Options{Metric: distance.IP}, 30000, 128, vectors.Uint8, Paper},
		{Options{Visits: 100}, 50000, 128, vectors.Uint8, Paper},
		{Options{Distance: &Distance{}}, 50000, 128, vectors.Uint8, Paper},
		{Options{Method: Exact}, 1 << 30, 128, vectors.Float32, Exact},
	} {
		o := c.o.withDefaults()
		if got := o.choose(c.n, c.d, c.t); got != c.want {
			t.Errorf("%d rows of %d %v with %+v: %s, want %s", c.n, c.d, c.t, c.o, got, c.want)
		}
	}
}

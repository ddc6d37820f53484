package builder

import (
	"testing"

	"github.com/knng/knng/vectors/distance"
)

func TestAutoChooses(t *testing.T) {
	for _, c := range []struct {
		o    Options
		n, d int
		want Method
	}{
		{Options{}, 1000, 100, Exact},
		{Options{}, 6001, 100, Exact},
		{Options{}, 30000, 300, Exact},
		{Options{}, 60000, 384, Balls},
		{Options{}, 63000, 128, Exact},
		{Options{}, 64000, 128, Balls},
		{Options{}, 30000, 784, Balls},
		{Options{Metric: distance.Cosine}, 30000, 128, Exact},
		{Options{Metric: distance.IP}, 30000, 128, Exact},
		{Options{Metric: distance.IP}, 379000, 128, Exact},
		{Options{Metric: distance.IP}, 381000, 128, Paper},
		{Options{Visits: 100}, 100000, 128, Paper},
		{Options{Distance: &Distance{}}, 50000, 128, Paper},
		{Options{Method: Exact}, 1 << 30, 128, Exact},
	} {
		o := c.o.withDefaults()
		if got := o.choose(c.n, c.d); got != c.want {
			t.Errorf("%d rows of %d with %+v: %s, want %s", c.n, c.d, c.o, got, c.want)
		}
	}
}

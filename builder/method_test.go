package builder

import (
	"strings"
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
		{Options{}, 6001, 784, Exact},
		{Options{}, 9200, 784, Balls},
		{Options{Recall: 0.90}, 6001, 1700, Exact},
		{Options{Recall: 0.90}, 7100, 1700, Balls},
		{Options{Recall: 0.99}, 10000, 784, Exact},
		{Options{Recall: 0.99}, 13233, 500, Exact},
		{Options{Recall: 0.99}, 14100, 784, Balls},
		{Options{Recall: 1}, 20000, 784, Exact},
		{Options{}, 15900, 128, Exact},
		{Options{}, 16100, 128, Balls},
		{Options{}, 70000, 50, Balls},
		{Options{Metric: distance.Cosine}, 15900, 128, Exact},
		{Options{Metric: distance.IP}, 10000, 128, Exact},
		{Options{Metric: distance.IP}, 600000, 64, Balls},
		{Options{Paper: PaperOptions{Visits: 100}}, 100000, 128, Paper},
		{Options{Distance: &Distance{}}, 50000, 128, Paper},
		{Options{Method: Exact}, 1 << 30, 128, Exact},
	} {
		o := c.o.WithDefaults()
		choice := o.choice()
		if got := Method(choice.ByCounts(c.n, c.d)); got != c.want {
			t.Errorf("%d rows of %d with %+v: %s, want %s", c.n, c.d, c.o, got, c.want)
		}
	}
}

func TestUnused(t *testing.T) {
	for _, c := range []struct {
		o    Options
		m    Method
		want string
	}{
		{Options{}, Exact, ""},
		{Options{}, Balls, ""},
		{Options{}, Parts, ""},
		{Options{}, Paper, ""},
		{Options{Recall: 0.9, Divisions: 4, Rounds: 2, LeafSize: 300, PairCache: On}, Exact, "divisions rounds leaf size pair cache"},
		{Options{Paper: PaperOptions{Visits: 100}}, Exact, "a number of visits"},
		{Options{Divisions: 4, Rounds: 2, LeafSize: 300}, Balls, ""},
		{Options{Rounds: 2, Propagation: Off}, Balls, "rounds"},
		{Options{Divisions: 4, LeafSize: 300, Propagation: Off}, Parts, "leaf size propagation"},
		{Options{Divisions: 4, Rounds: 2, LeafSize: 300, PairCache: On, Paper: PaperOptions{Visits: 100}}, Paper, ""},
		{Options{PairCache: On, Distance: &Distance{}}, Exact, ""},
		{Options{Metric: distance.IP}, Exact, ""},
	} {
		o := c.o.WithDefaults()
		if got := strings.Join(o.unused(c.m), " "); got != c.want {
			t.Errorf("%s with %+v: %q, want %q", c.m, c.o, got, c.want)
		}
	}
}

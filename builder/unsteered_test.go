package builder_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestUnsteered: a build that was given divisions and no recall measures nothing on its way, and
// its codes may tell rows apart badly. What it reports at its end is of the rows themselves, and
// so holds.
func TestUnsteered(t *testing.T) {
	const k = 10
	least := 1.0
	for _, s := range shapes {
		if s.n > 3000 || s.name == "constant" || testing.Short() && s.name != "log-normal" {
			continue
		}
		data := s.make(rand.New(rand.NewPCG(36, uint64(len(s.name)))), s.n, s.dim)
		truth := bruteForce(t, data, s.dim, k, distance.Euclidean)
		for _, o := range []builder.Options{
			{Method: builder.Balls, Divisions: 2, LeafSize: 200, Propagation: builder.Off},
			{Method: builder.Parts, Divisions: 2},
			{Method: builder.Paper, Divisions: 1, Rounds: 1, LeafSize: 200},
		} {
			t.Run(fmt.Sprintf("%s/%s", s.name, o.Method), func(t *testing.T) {
				o.K = k
				res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, s.dim), o)
				got := recallOf(lists, truth)
				t.Logf("recall %.4f, reported %.4f, %.4f to %.4f, %s", got, res.Recall.Recall, res.Recall.Low, res.Recall.High, res.Stop)
				if got < res.Recall.Low-0.01 || got > res.Recall.High+0.01 {
					t.Errorf("recall %.4f, reported %+v", got, res.Recall)
				}
				if res.Short || res.Err() != nil || res.Target != 0 {
					t.Errorf("short of %v, which nobody asked for: %v", res.Target, res.Err())
				}
				least = min(least, got)
			})
		}
	}
	if least > 0.8 {
		t.Errorf("the least recall is %.4f: no build was hard", least)
	}
}

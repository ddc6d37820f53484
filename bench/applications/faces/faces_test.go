package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/vectors"
)

// TestScoreByHand: one row of each kind.
func TestScoreByHand(t *testing.T) {
	labels := []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3} // eight of label 0, two of 1
	j := judgesOf(labels, 8)
	if len(j.frequent) != 8 || len(j.groups) != 1 {
		t.Fatalf("%d frequent rows in %d groups", len(j.frequent), len(j.groups))
	}
	good := []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10} // 7 of 10 agree
	bad := []uint32{8, 1, 2, 9, 3, 4, 5, 6, 10, 11} // 6 of 10
	if j.consistent(0, good) != 1 || j.consistent(0, bad) != 0 || j.consistent(8, good) != 0 {
		t.Error("consistency")
	}
	s := new(score)
	s.add(j.agreement(0, bad), 7)
	gain := 1/math.Log2(3) + 1/math.Log2(4)
	for _, c := range []struct{ got, want float64 }{
		{s.precision[0], 0}, {s.precision[2], 2. / 3}, {s.precision[9], 0.6},
		{s.ndcg[0], 0}, {s.ndcg[2], gain / (1 + gain)},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	s = new(score) // all seven others first: nothing better could be
	s.add(j.agreement(0, good), 7)
	if s.ndcg[9] != 1 || s.precision[9] != 0.7 {
		t.Errorf("nDCG %v, precision %v", s.ndcg[9], s.precision[9])
	}
}

func TestBelow(t *testing.T) {
	exact := []float64{0.5, 0.4, 0.3}
	if got := below([]float64{0.4, 0.4, 0.2}, exact); got != "Precision@K below G0's at K = 1, 3." {
		t.Error(got)
	}
	if got := below(exact, exact); got != "Precision@K nowhere below G0's." {
		t.Error(got)
	}
}

// TestInterval: it holds the true difference about as often as it says, and
// knows that the rows of one label vary together.
func TestInterval(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	const trials, people = 200, 60
	held := 0
	for trial := range trials {
		var a, b []float64
		groups := map[int][]int{}
		for person := range people {
			shift := 0.1 + 0.3*rng.NormFloat64()
			for range 1 + rng.IntN(20) {
				groups[person] = append(groups[person], len(a))
				x := rng.Float64()
				a, b = append(a, x+shift), append(b, x)
			}
		}
		if low, high := interval(a, b, groups, uint64(trial)); low <= 0.1 && 0.1 <= high {
			held++
		}
	}
	if share := float64(held) / trials; share < 0.85 {
		t.Errorf("the interval held the difference in %.3f of the trials, want about 0.95", share)
	}
	if low, high := interval([]float64{1, 1, 1}, []float64{0.5, 0.5, 0.5}, map[int][]int{0: {0, 1}, 7: {2}}, 1); low != 0.5 || high != 0.5 {
		t.Errorf("a constant difference of 0.5 in %v to %v", low, high)
	}
}

// TestRun makes all graphs of a small set and all files.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	w, err := vectors.Create(filepath.Join(dir, "x.npy"), vectors.Float32, 16)
	if err != nil {
		t.Fatal(err)
	}
	var labels strings.Builder
	row := make([]float32, 16)
	for i := range 600 {
		person := i % 30
		if i >= 400 {
			person = i // alone
		}
		for j := range row {
			row[j] = float32(person*(j+3)%17) + float32(6*rng.NormFloat64())
		}
		if err := w.AppendFloat32(row, ""); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&labels, "person %d\n", person)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names := filepath.Join(dir, "x.labels.txt")
	if err := os.WriteFile(names, []byte(labels.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	c := &config{vectors: filepath.Join(dir, "x.npy"), labels: names, out: filepath.Join(dir, "out"),
		k: 20, least: 8, seed: 1, recalls: []float64{0.9}, ranks: []int{10, 20}}
	if err := c.validate(); err != nil {
		t.Fatal(err)
	}
	var first, again, log bytes.Buffer
	if err := run(context.Background(), c, &first, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"400 rows of 30 labels", "200 others", "| G0, exact | 1.0000 |", "rank-order over lists of 10", "alone", "| paper: G2 | | 0.689 |", "- G1 for recall 0.9: ", "Precision@K "} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("%q is not in the table:\n%s", want, &first)
		}
	}
	for _, name := range []string{"table.md", "hidden-precision.csv", "hidden-precision.svg", "alone-ndcg.png", "hidden-ndcg.svg"} {
		if info, err := os.Stat(filepath.Join(c.out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := run(context.Background(), c, &again, &log); err != nil || again.String() != first.String() {
		t.Errorf("the second run says something else: %v", err)
	}
	c.labels = c.vectors
	if err := run(context.Background(), c, &again, &log); err == nil {
		t.Error("labels of another length: no error")
	}
}

package builder_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// trial is a random input and random options.
type trial struct {
	n, dim int
	typ    vectors.Type
	data   []byte
	opts   builder.Options
}

func (c *trial) String() string {
	o := &c.opts
	return fmt.Sprintf("%d rows of %d %v, %s, %v, k %d, leaves of %d, %d divisions, %d rounds, recall %v",
		c.n, c.dim, c.typ, o.Method, o.Metric, o.K, o.LeafSize, o.Divisions, o.Rounds, o.Recall)
}

func (c *trial) input(t *testing.T) *vectors.Input {
	t.Helper()
	rows, err := vectors.RowsOf(c.data, c.n, c.dim, c.dim*c.typ.Size(), c.typ)
	if err != nil {
		t.Fatal(err)
	}
	return vectors.NewInput(rows)
}

func (c *trial) row(i int) []byte {
	size := c.dim * c.typ.Size()
	return c.data[i*size : (i+1)*size]
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// newTrial draws a trial: rows on a coarse or a fine grid around some centres,
// up to all of them repeated.
func newTrial(rng *rand.Rand) *trial {
	c := &trial{n: pick(rng, 2+rng.IntN(40), 200+rng.IntN(1500)), dim: 1 + rng.IntN(40),
		typ: pick(rng, vectors.Uint8, vectors.Int8, vectors.Float16, vectors.Float32)}
	centres, spread, repeated := 1+rng.IntN(30), 1+rng.IntN(30), pick(rng, 0, 0, 10, 50, 100)
	values := make([]float32, c.dim)
	raw := make([]byte, c.dim*c.typ.Size())
	for i := range c.n {
		if i > 0 && rng.IntN(100) < repeated {
			c.data = append(c.data, c.row(rng.IntN(i))...)
			continue
		}
		centre := rng.IntN(centres)
		for j := range values {
			values[j] = float32(1 + (centre*31+j*17)%80 + rng.IntN(spread))
			if c.typ.Size() > 1 && spread > 20 {
				values[j] += rng.Float32()
			}
		}
		if err := vectors.Encode(c.typ, values, raw); err != nil {
			panic(err) // the values fit every type
		}
		c.data = append(c.data, raw...)
	}
	c.opts = builder.Options{K: 1 + rng.IntN(20), Method: pick(rng, builder.Exact, builder.Paper, builder.Balls, builder.Parts),
		Metric: pick(rng, distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.IP), Seed: rng.Uint64N(1000) + 1, Threads: 1}
	if c.opts.Method == builder.Exact {
		return c
	}
	c.opts.LeafSize = max(4*c.opts.K, 16+rng.IntN(60))
	if rng.IntN(3) == 0 {
		c.opts.Recall = 0.9 + 0.09*rng.Float64()
	} else {
		c.opts.Divisions, c.opts.Rounds = 1+rng.IntN(6), 1+rng.IntN(3)
	}
	if c.opts.Method == builder.Parts {
		c.opts.Rounds = 0 // it has none
	}
	return c
}

// trials is how many of them a test draws.
func trials() int {
	if *long {
		return 200
	}
	return 8
}

// TestMetamorphic: random data and options make a graph whose lists are sound,
// and the same one whatever should not matter: threads, the pair cache, memory,
// how often lists are written, interruptions at random moments, and kernels.
func TestMetamorphic(t *testing.T) {
	seed := seedOf(t)
	var sums []string
	stops, builds := 0, 0
	for i := range trials() {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		c := newTrial(rng)
		dir := filepath.Join(t.TempDir(), "g")
		want, lists := build(t, dir, c.input(t), c.opts)
		sums = append(sums, want.Checksum)
		checkLists(t, lists, c.opts.K)
		if report, err := store.Check(context.Background(), dir, store.CheckOptions{Full: true}); err != nil || !report.OK() {
			t.Errorf("%v: check: %v %+v", c, err, report)
		}
		for range 2 {
			other := filepath.Join(t.TempDir(), "g")
			o, s := disturbed(t, rng, c, other)
			got, err := builder.Build(context.Background(), other, c.input(t), o)
			if err != nil && !errors.Is(err, store.ErrFinished) {
				t.Fatalf("%v: %v", c, err)
			}
			if got.Checksum != want.Checksum {
				t.Errorf("%v: checksum %s, want %s; threads %d, pair cache %d, %d stops", c, got.Checksum, want.Checksum, o.Threads, o.PairCache, s)
			}
			stops, builds = stops+s, builds+1
			os.RemoveAll(other)
		}
		os.RemoveAll(dir)
	}
	t.Logf("%d trials, %d builds beside the plain ones, stopped %d times", len(sums), builds, stops)
	otherKernels(t, seed, sums)
}

// disturbed changes what must not matter and stops builds at random moments. The
// options that it returns finish the build.
func disturbed(t *testing.T, rng *rand.Rand, c *trial, dir string) (o builder.Options, stops int) {
	o = c.opts
	if rng.IntN(2) == 0 {
		defer builder.KeepEvery(0)()
	}
	for range rng.IntN(5) {
		o.Threads, o.PairCache = 1+rng.IntN(4), pick(rng, builder.Default, builder.On, builder.Off)
		o.Memory = pick[int64](rng, 0, 1<<30)
		ctx, cancel := context.WithCancel(context.Background())
		left := rng.IntN(60)
		o.Progress = func(builder.Event) {
			if left--; left < 0 {
				cancel()
			}
		}
		_, err := builder.Build(ctx, dir, c.input(t), o)
		cancel()
		if errors.Is(err, context.Canceled) {
			stops++
		} else if err != nil && !errors.Is(err, store.ErrFinished) {
			t.Fatalf("%v: %v", c, err)
		}
	}
	o.Progress = nil
	return o, stops
}

// TestPlainBuilds prints the checksums of TestMetamorphic's plain builds. It is
// what a process with another kernel runs.
func TestPlainBuilds(t *testing.T) {
	if os.Getenv("KNNG_TEST_SUMS") == "" {
		t.Skip("run by TestMetamorphic")
	}
	for i := range trials() {
		c := newTrial(rand.New(rand.NewPCG(*seedFlag, uint64(i))))
		dir := filepath.Join(t.TempDir(), "g")
		res, _ := build(t, dir, c.input(t), c.opts)
		fmt.Println("sum", res.Checksum)
		os.RemoveAll(dir)
	}
}

// otherKernels makes the plain builds again in processes with other kernels.
func otherKernels(t *testing.T, seed uint64, want []string) {
	t.Helper()
	for _, kernel := range []string{"go", "avx2", "avxvnni", "avx512", "avx512-f32"} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestPlainBuilds$", "-test.v", "-seed", fmt.Sprint(seed), fmt.Sprintf("-long=%v", *long))
		cmd.Env = append(os.Environ(), "KNNG_KERNEL="+kernel, "KNNG_TEST_SUMS=1")
		out, err := cmd.CombinedOutput()
		if bytes.Contains(out, []byte("this machine has")) {
			continue
		}
		if err != nil {
			t.Errorf("kernel %s: %v: %s", kernel, err, out)
			continue
		}
		var got []string
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			if sum, ok := strings.CutPrefix(lines.Text(), "sum "); ok {
				got = append(got, sum)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("kernel %s: other graphs than %s: %v, want %v", kernel, distance.Kernel(), got, want)
		}
	}
}

// TestExactRelations: of an exact graph it is known what becomes of it when the
// rows are permuted, and when one of them is given twice.
func TestExactRelations(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine's work: runs without -short")
	}
	seed := seedOf(t)
	for i := range trials() {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		c := newTrial(rng)
		c.opts.Method, c.opts.Recall, c.opts.Divisions, c.opts.Rounds = builder.Exact, 0, 0, 0
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), c.input(t), c.opts)
		permuted(t, rng, c, lists)
		repeated(t, rng, c, lists)
	}
}

// permuted builds the graph of the rows in another order. Among neighbors that
// are equally near to the end of a list the order of rows decides; all others
// stay, and so do the keys.
func permuted(t *testing.T, rng *rand.Rand, c *trial, lists [][]entry) {
	t.Helper()
	from := rng.Perm(c.n) // from[i]: which row stands at i now
	p := *c
	p.data = nil
	for _, row := range from {
		p.data = append(p.data, c.row(row)...)
	}
	_, got := build(t, filepath.Join(t.TempDir(), "g"), p.input(t), p.opts)
	for i, row := range from {
		for j, e := range got[i] {
			if e.key != lists[row][j].key {
				t.Fatalf("%v: row %d: key %d is %v, %v where the rows are permuted", c, row, j, lists[row][j].key, e.key)
			}
			here := entry{uint32(from[e.row]), e.key}
			if last := lists[row][len(lists[row])-1].key; e.key < last && !slices.Contains(lists[row], here) {
				t.Fatalf("%v: row %d: neighbor %v only where the rows are permuted", c, row, here)
			}
		}
	}
}

// repeated builds the graph with one row given again as the last. It stands in
// the lists where the row does, behind all that are as near; and the two rows
// have the same list but for each other.
func repeated(t *testing.T, rng *rand.Rand, c *trial, lists [][]entry) {
	t.Helper()
	twice := rng.IntN(c.n)
	r := *c
	r.data, r.n = append(slices.Clone(c.data), c.row(twice)...), c.n+1
	_, got := build(t, filepath.Join(t.TempDir(), "g"), r.input(t), r.opts)
	k, copyRow := min(c.opts.K, c.n), uint32(c.n)
	for row, list := range lists {
		if row == twice {
			continue
		}
		want := slices.Clone(list)
		if at := slices.IndexFunc(list, func(e entry) bool { return e.row == uint32(twice) }); at >= 0 {
			e := entry{copyRow, list[at].key}
			behind := slices.IndexFunc(want, func(o entry) bool { return o.key > e.key })
			if behind < 0 {
				behind = len(want)
			}
			want = slices.Insert(want, behind, e)
		}
		want = want[:min(k, len(want))]
		if !slices.Equal(got[row], want) {
			t.Fatalf("%v: row %d: %v, want %v: row %d was given again", c, row, got[row], want, twice)
		}
	}
	without := func(list []entry, row uint32) []entry {
		return slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return e.row == row })
	}
	original, again := without(got[twice], copyRow), without(got[c.n], uint32(twice))
	n := min(len(original), len(again), len(lists[twice]))
	if n < k-1 || !slices.Equal(original[:n], lists[twice][:n]) || !slices.Equal(again[:n], lists[twice][:n]) {
		t.Fatalf("%v: row %d: %v and %v, want %v and each other", c, twice, got[twice], got[c.n], lists[twice])
	}
}

// TestListsOnlyImprove stops builds after stage upon stage and reads what is
// committed: no list has lost an entry, and no key is worse than it was, up to
// the finished graph.
func TestListsOnlyImprove(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine's work: runs without -short")
	}
	defer builder.KeepEvery(0)()
	seed := seedOf(t)
	looks := 0
	for i := range trials() {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		c := newTrial(rng)
		dir := filepath.Join(t.TempDir(), "g")
		o := c.opts
		if o.Method != builder.Parts { // which does not collapse
			o.Duplicates = pick(rng, builder.Keep, builder.Collapse)
		}
		var before [][]float32
		stages, stuck := -1, 0
		for {
			ctx, cancel := context.WithCancel(context.Background())
			o.Progress = func(e builder.Event) {
				if e.End && (strings.HasPrefix(e.Phase, "division") || strings.HasPrefix(e.Phase, "propagation") || e.Phase == "fold") {
					cancel()
				}
			}
			_, err := builder.Build(ctx, dir, c.input(t), o)
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: %v", c, err)
			}
			done, keys, err := builder.Committed(dir, c.input(t), o)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			notWorse(t, c, before, keys)
			if stuck++; done > stages {
				stuck = 0
			}
			if stuck > 10 {
				t.Fatalf("%v: still %d stages after another %d runs", c, done, stuck)
			}
			before, stages, looks = keys, done, looks+1
		}
		lists := read(t, dir)
		if before == nil || c.opts.Method == builder.Balls || len(lists) != len(before) {
			continue // the graph's keys are not those of codes; copies have lists, too
		}
		// Places are not rows, so the last keys of all lists are compared in order.
		var was, is []float32
		for i := range lists {
			is, was = append(is, lists[i][len(lists[i])-1].key), append(was, float32(math.Inf(1)))
			if len(before[i]) == len(lists[i]) {
				was[i] = before[i][len(before[i])-1]
			}
		}
		slices.Sort(is)
		slices.Sort(was)
		notWorse(t, c, [][]float32{was}, [][]float32{is})
	}
	t.Logf("%d looks at what was committed", looks)
}

// notWorse compares keys by place and rank.
func notWorse(t *testing.T, c *trial, before, after [][]float32) {
	t.Helper()
	for place, was := range before {
		is := after[place]
		if len(is) < len(was) {
			t.Fatalf("%v: place %d: %d entries after a stage, %d before it", c, place, len(is), len(was))
		}
		for i := range was {
			if is[i] > was[i] {
				t.Fatalf("%v: place %d: key %d is %v after a stage, %v before it", c, place, i, is[i], was[i])
			}
		}
	}
}

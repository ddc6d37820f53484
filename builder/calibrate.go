package builder

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Calibration: how fast this machine does, at the moment and with all threads, what
// the passes of a build consist of, on rows of the input itself. It decides nothing.

// calibrationRows is how many rows are tried: more than a leaf has, and few enough to be
// read from anywhere in a large file at once.
const calibrationRows = 2048

// sampled is a run over some rows of the input, evenly spread, alone.
func (r *run) sampled() (*run, error) {
	n, dim, typ := min(calibrationRows, len(r.good)), r.src.Dim(), r.src.Type()
	size := dim * typ.Size()
	bytes := make([]byte, n*size)
	for i := range n {
		at := r.good[i*len(r.good)/n]
		if err := r.src.ReadRows(int(at), bytes[i*size:(i+1)*size]); err != nil {
			return nil, err
		}
	}
	g := &run{ctx: r.ctx, opts: r.opts, src: r.src, space: r.space, state: r.state, k: min(r.opts.K, n-1)}
	var err error
	if g.rows, err = vectors.RowsOf(bytes, n, dim, size, typ); err != nil {
		return nil, err
	}
	if g.norms, err = g.normsOf(g.rows); err != nil {
		return nil, err
	}
	if g.state.Method == Balls || g.state.Method == Parts {
		rounding, _ := codes.Fit(g.rows, g.space)
		if g.codes, err = codes.Of(g.rows, g.space, rounding, g.opts.Threads); err != nil {
			return nil, err
		}
	}
	g.order = g.numbers(n)
	return g, nil
}

// trial is a run of one goroutine over the same rows.
func (g *run) trial() *run {
	return &run{ctx: g.ctx, opts: g.opts, src: g.src, space: g.space, state: g.state, k: g.k,
		rows: g.rows, norms: g.norms, codes: g.codes, order: g.order, ascending: g.ascending}
}

// timed is one thing that is measured: it does some of its work, on any goroutine, and
// tells how much.
type timed func() (work float64)

// rate repeats what newWork makes on all threads for about some time, and returns how
// much of it a second of processor time does, and the part of the time that the threads
// had a processor.
func (r *run) rate(budget time.Duration, threads int, newWork func() timed) (perSecond, share float64, err error) {
	var mu sync.Mutex
	err = vectors.Ranges(threads, threads, 1, func() func(from, to int) error {
		work := newWork()
		work() // first touches of memory
		return func(int, int) error {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			began, cpu := time.Now(), threadSeconds()
			done := work()
			for time.Since(began) < budget && r.ctx.Err() == nil {
				done += work()
			}
			cpu = max(threadSeconds()-cpu, 1e-9)
			mu.Lock()
			defer mu.Unlock()
			perSecond += done / cpu / float64(threads)
			share += cpu / time.Since(began).Seconds() / float64(threads)
			return r.ctx.Err()
		}
	})
	return max(perSecond, 1), share, err
}

// calibrate measures the machine for about as long as it is given, and writes a file of
// at most so many bytes.
func (r *run) calibrate(g *run, nominal plan.Rates, budget time.Duration, file int64) (rates plan.Rates, err error) {
	threads := r.opts.Threads
	rates = nominal
	each := budget / 7
	var shares []float64
	measure := func(to *float64, threads int, newWork func() timed) {
		if err == nil {
			var share float64
			*to, share, err = r.rate(each, threads, newWork)
			shares = append(shares, share)
		}
	}
	measure(&rates.Leaf, threads, g.leafTrial)
	measure(&rates.Screen, threads, g.screenTrial)
	rates.Screen /= 2 // screens that find something, whose lists are filled, on faces and SIFT
	if g.codes != nil {
		measure(&rates.Tile, threads, g.tileTrial)
	}
	measure(&rates.Keys, threads, g.keyTrial)
	measure(&rates.Touched, threads, touchTrial)
	measure(&rates.Hashed, 1, hashTrial)
	rates.Share = min(1, max(0.01, meanShare(shares)))
	if err == nil {
		rates.Written, rates.Read, err = r.diskRates(each, max(file, 2*copyBytes))
	}
	return rates, err
}

func meanShare(shares []float64) (mean float64) {
	for _, x := range shares {
		mean += x / float64(len(shares))
	}
	return mean
}

// trialLeaf is the rows of a leaf: what balls have on average.
const trialLeaf = DefaultLeafSize * 2 / 5

// leafTrial solves leaves of rows drawn at random, as the method at hand does. Lists
// begin empty and fill, as in a build.
func (g *run) leafTrial() timed {
	rng := rand.New(rand.NewPCG(1, 1))
	own := g.trial()
	n := g.rows.Len()
	places := slices.Clone(g.numbers(n))
	size := min(trialLeaf, n)
	var solve func(leaf []uint32)
	reset := func() {}
	if g.codes != nil {
		own.found = candidates.New(n, min(own.k+own.slack(), n-1))
		reset = func() { own.found = candidates.New(n, own.found.K) }
		tiles := own.leafOfCodes()
		solve = func(leaf []uint32) { tiles(leaf) }
	} else {
		own.lists = union.New(n, own.k, nil)
		solver := own.solver()
		solve = func(leaf []uint32) {
			solver.Solve(leaf, nil, 0, func(i int, js []uint32, keys []float32) { own.lists.OfferBoth(leaf, i, js, keys) })
		}
	}
	at, passes := n, 0
	return func() float64 {
		if at+size > n {
			if passes++; passes%8 == 0 {
				reset()
			}
			rng.Shuffle(n, func(i, j int) { places[i], places[j] = places[j], places[i] })
			at = 0
		}
		leaf := slices.Clone(places[at : at+size])
		slices.Sort(leaf)
		at += size
		solve(leaf)
		return float64(size) * float64(size-1) / 2
	}
}

// slack is how many candidates are kept beyond k.
func (r *run) slack() int {
	if r.state.Method == Parts && r.codesOrder() {
		return 0
	}
	return r.opts.planned().Slack
}

// tileTrial compares rows with a hundred others, as with leaders.
func (g *run) tileTrial() timed {
	tile := g.codes.NewTile()
	n := g.rows.Len()
	columns := g.numbers(n)[:min(96, n)]
	tile.Columns(columns, nil)
	at := 0
	return func() float64 {
		for range 16 {
			if at+codes.BandRows > n {
				at = 0
			}
			band := g.ascending[at:min(at+codes.BandRows, n)]
			tile.Rows(band, len(columns))
			for i := range band {
				tile.Within(i, tile.Bound(i, 4))
			}
			at += codes.BandRows
		}
		return 16 * float64(codes.BandRows*len(columns))
	}
}

// screenTrial compares rows with others as exact lists do.
func (g *run) screenTrial() timed {
	own := g.trial()
	newScreen, err := own.screens()
	n := g.rows.Len()
	if err != nil || newScreen == nil || n < 2 {
		return func() float64 { time.Sleep(time.Millisecond); return 1 }
	}
	s := newScreen()
	columns := g.ascending[:min(480, n)]
	s.Columns(columns, nil, columns)
	at := 0
	return func() float64 {
		if at+screen.BandRows > n {
			at = 0
		}
		band := g.ascending[at:min(at+screen.BandRows, n)]
		s.Rows(band)
		for i := range band {
			s.Near(i, float32(math.Inf(-1)))
		}
		at += screen.BandRows
		return float64(len(band) * len(columns))
	}
}

// touchTrial reads and writes words that lie far from each other: five touches as plans
// count them.
func touchTrial() timed {
	words := make([]uint32, 1<<20)
	at, sum := uint32(1), uint32(0)
	return func() float64 {
		for range 4096 {
			at = at*1664525 + 1013904223
			sum += words[at>>12]
			words[at>>12] = sum
		}
		return 5 * 4096
	}
}

// keyTrial computes keys of rows that lie apart.
func (g *run) keyTrial() timed {
	if g.opts.Distance != nil {
		return func() float64 { return 1 }
	}
	evaluate, n := g.kernelKeys(), g.rows.Len()
	rng := rand.New(rand.NewPCG(2, 2))
	ids, out := make([]uint32, 32), make([]float32, 32)
	return func() float64 {
		for i := range ids {
			ids[i] = uint32(rng.IntN(n))
		}
		evaluate(ids[0], ids, out)
		return float64(len(ids))
	}
}

func hashTrial() timed {
	data := make([]byte, 1<<20)
	return func() float64 {
		sha256.Sum256(data)
		return float64(len(data))
	}
}

// diskRates writes a file in the scratch folder in order, and reads it again.
func (r *run) diskRates(budget time.Duration, most int64) (written, read float64, err error) {
	dir := r.scratch
	if _, err := os.Stat(dir); err != nil {
		dir = "" // a plan makes no folders
	}
	f, err := os.CreateTemp(dir, "calibration-")
	if err != nil {
		return 0, 0, fmt.Errorf("builder: %w", err)
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return 0, 0, fmt.Errorf("builder: %w", err)
	}
	data := make([]byte, copyBytes)
	var sum int64
	began := time.Now()
	for time.Since(began) < budget/2 && sum < min(most, 256<<20) {
		if _, err := f.Write(data); err != nil {
			return 0, 0, fmt.Errorf("builder: %s: %w", filepath.Base(f.Name()), err)
		}
		sum += int64(len(data))
	}
	if err := f.Sync(); err != nil {
		return 0, 0, fmt.Errorf("builder: %w", err)
	}
	written = float64(sum) / time.Since(began).Seconds()
	began = time.Now()
	for at := int64(0); at < sum; at += int64(len(data)) {
		if _, err := f.ReadAt(data, at); err != nil {
			return 0, 0, fmt.Errorf("builder: %w", err)
		}
	}
	return written, float64(sum) / max(time.Since(began).Seconds(), 1e-6), nil
}

// intrinsic estimates the intrinsic dimension of some rows from the distances of their
// codes (Levina, Bickel 2005, "Maximum likelihood estimation of intrinsic dimension"),
// with the mean taken of inverses (MacKay, Ghahramani). 0 where there are no codes.
func (g *run) intrinsic() float64 {
	n := g.rows.Len()
	if g.codes == nil || n < 2*intrinsicK {
		return 0
	}
	g.found = candidates.New(n, intrinsicK)
	g.leafOfCodes()(g.numbers(n))
	sum, count := 0.0, 0
	for p := range uint32(n) {
		m := g.found.Len(p)
		if m < 2 {
			continue
		}
		far := float64(g.found.At(p, m-1).Distance())
		var logs float64
		used := 0
		for i := range m - 1 {
			if d := float64(g.found.At(p, i).Distance()); d > 0 && far > 0 {
				logs += math.Log(far/d) / 2 // squared
				used++
			}
		}
		if used > 0 {
			sum += logs / float64(used)
			count++
		}
	}
	g.found.Free()
	g.found = nil
	if count == 0 || sum == 0 {
		return 0
	}
	return float64(count) / sum
}

// intrinsicK is how many neighbors in the sample the dimension is estimated from.
const intrinsicK = 20

package builder

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Calibration: how fast this machine does, at the moment and with all threads, what
// the passes of a build consist of, on rows of the input itself. It decides nothing.

// calibrationRows is how many rows are tried: more than a leaf has, and few enough to be
// read from anywhere in a large file at once. Of rows that are very long fewer are held.
const calibrationRows, calibrationBytes = 2048, 16 << 20

// sampled is a run over some rows of the input, evenly spread, alone.
func (r *run) sampled() (*run, error) {
	dim, typ := r.src.Dim(), r.src.Type()
	size := dim * typ.Size()
	n := min(calibrationRows, max(64, calibrationBytes/size), len(r.good))
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
	if g.state.Method == Balls || g.state.Method == Parts || g.codesScreen() {
		if g.codes, err = codes.Of(g.rows, g.space, g.fitted(g.rows), g.opts.Threads); err != nil {
			return nil, err
		}
	}
	g.order = g.numbers(n)
	return g, nil
}

// trial is a run of one goroutine over the same rows.
func (g *run) trial() *run {
	return &run{ctx: g.ctx, opts: g.opts, src: g.src, space: g.space, state: g.state, k: g.k,
		rows: g.rows, norms: g.norms, order: g.order, screening: g.screening, ascending: g.ascending}
}

// timed is one thing that is measured: it does some of its work, on any goroutine, and
// tells how much.
type timed func() (work float64)

// holdingNothing makes a thing that has nothing to free.
func holdingNothing(newWork func() timed) func() (timed, func()) {
	return func() (timed, func()) { return newWork(), func() {} }
}

// rate repeats what newWork makes on all threads for about some time, and returns how
// much of it a second of processor time does, and the part of the time that the threads
// had a processor.
func (r *run) rate(budget time.Duration, threads int, newWork func() (work timed, free func())) (perSecond, share float64, err error) {
	var mu sync.Mutex
	var made []func()
	defer func() {
		for _, free := range made {
			free()
		}
	}()
	err = vectors.Ranges(threads, threads, 1, func() func(from, to int) error {
		work, free := newWork()
		mu.Lock()
		made = append(made, free)
		mu.Unlock()
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
	if g.codes != nil && g.state.Method != Parts && !g.bytesAreKeys() {
		if err := g.boundCodes(g.rows); err != nil {
			return rates, err
		}
	}
	each := budget / 7
	var shares []float64
	measure := func(to *float64, threads int, newWork func() (timed, func())) {
		if err == nil {
			var share float64
			*to, share, err = r.rate(each, threads, newWork)
			shares = append(shares, share)
		}
	}
	measure(&rates.Leaf, threads, g.leafTrial)
	measure(&rates.Screen, threads, holdingNothing(g.screenTrial))
	rates.Screen /= 1.6 // screens that find something, whose lists are filled, on faces, SIFT, GIST, MNIST
	if g.codes != nil {
		measure(&rates.Tile, threads, holdingNothing(g.tileTrial))
	}
	measure(&rates.Keys, threads, holdingNothing(g.keyTrial))
	measure(&rates.Touched, threads, holdingNothing(touchTrial))
	measure(&rates.Hashed, 1, holdingNothing(hashTrial))
	rates.Share = min(1, max(0.01, meanShare(shares)))
	// A disk without room for the file keeps the nominal rates: what will not fit is
	// found by those who need the room.
	if err != nil {
		return rates, err
	}
	if written, read, err := r.diskRates(each, max(file, 2*copyBytes)); err == nil {
		rates.Written, rates.Read = written, read
	}
	return rates, nil
}

func meanShare(shares []float64) (mean float64) {
	for _, x := range shares {
		mean += x / float64(len(shares))
	}
	return mean
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
	named := os.Remove(f.Name()) != nil // some systems do not remove what is open
	defer func() {
		f.Close()
		if named {
			os.Remove(f.Name())
		}
	}()
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

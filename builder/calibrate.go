package builder

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Calibration: how fast this machine does, at the moment and with all threads, what
// the passes of a build consist of, on rows of the input itself. It decides nothing.

// calibrationRows is how many rows are tried: more than a leaf has, and few enough to be
// read from anywhere in a large file at once. Of rows that are very long fewer are held.
const calibrationRows, calibrationBytes = 2048, 16 << 20

// sampled is some points of the input, evenly spread, alone.
func (r *run) sampled() (*points.Points, error) {
	size := r.Space.RowBytes()
	n := min(calibrationRows, max(64, calibrationBytes/size), len(r.good))
	bytes := make([]byte, n*size)
	for i := range n {
		at := r.good[i*len(r.good)/n]
		if err := r.src.ReadRows(int(at), bytes[i*size:(i+1)*size]); err != nil {
			return nil, err
		}
	}
	g := &points.Points{Space: r.Space, Own: r.Own, Threads: r.opts.Threads, K: min(r.opts.K, n-1), Screening: points.Screening{Use: r.Use}}
	if err := g.Over(bytes, n); err != nil {
		return nil, err
	}
	if g.Use > points.NoCodes && g.Own == nil {
		var err error
		if g.Codes, err = codes.Of(g.Rows, g.Space, g.Fitted(g.Rows), g.Threads); err != nil {
			return nil, err
		}
	}
	g.Order = g.Numbers(n)
	return g, nil
}

// sample is points on which calibration tries the work of a build.
type sample struct{ *points.Points }

// trial returns the same points for one goroutine.
func (ps *sample) trial() *points.Points {
	return &points.Points{Space: ps.Space, Own: ps.Own, Threads: ps.Threads, K: ps.K,
		Rows: ps.Rows, Norms: ps.Norms, Order: ps.Order, Screening: ps.Screening, Ascending: ps.Ascending}
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
			began, cpu := time.Now(), job.ThreadSeconds()
			done := work()
			for time.Since(began) < budget && r.Ctx.Err() == nil {
				done += work()
			}
			cpu = max(job.ThreadSeconds()-cpu, 1e-9)
			mu.Lock()
			defer mu.Unlock()
			perSecond += done / cpu / float64(threads)
			share += cpu / time.Since(began).Seconds() / float64(threads)
			return r.Ctx.Err()
		}
	})
	return max(perSecond, 1), share, err
}

// calibrate measures the machine, on lists with so much slack, for about as long as it is given, and writes a file of
// at most so many bytes.
func (r *run) calibrate(g *points.Points, slack int, nominal plan.Rates, budget time.Duration, file int64) (rates plan.Rates, err error) {
	threads := r.opts.Threads
	rates = nominal
	if g.Codes != nil && g.Use >= points.CandidateCodes && !g.BytesAreKeys() {
		if err := g.BoundCodes(g.Rows); err != nil {
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
	of := &sample{g}
	measure(&rates.Leaf, threads, func() (timed, func()) { return of.leafTrial(slack) })
	measure(&rates.Screen, threads, holdingNothing(of.screenTrial))
	rates.Screen /= 1.6 // screens that find something, whose lists are filled, on faces, SIFT, GIST, MNIST
	if g.Codes != nil {
		measure(&rates.Tile, threads, holdingNothing(of.tileTrial))
	}
	measure(&rates.Keys, threads, holdingNothing(of.keyTrial))
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
	dir := r.Scratch
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

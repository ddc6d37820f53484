package calibrate

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
)

// sample is the points on which calibration tries the work of a build.
type sample struct{ *points.Points }

// trial returns a copy of the points for one goroutine.
func (ps *sample) trial() *points.Points {
	return &points.Points{Space: ps.Space, Own: ps.Own, Threads: ps.Threads, K: ps.K,
		Rows: ps.Rows, Norms: ps.Norms, Order: ps.Order, Screening: ps.Screening, Ascending: ps.Ascending}
}

// timed does some of the measured work, on any goroutine, and returns its amount.
type timed func() (work float64)

// holdingNothing makes a trial that has nothing to free.
func holdingNothing(newWork func() timed) func() (timed, func()) {
	return func() (timed, func()) { return newWork(), func() {} }
}

// Machine is the machine as a build uses it.
type Machine struct {
	Ctx     context.Context
	Threads int
	Scratch string // folder
}

// rate repeats a trial on all threads for about the budget. It returns the work per second of processor time,
// and the share of the time for which the threads had a processor.
func (m *Machine) rate(budget time.Duration, threads int, newWork func() (work timed, free func())) (perSecond, share float64, err error) {
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
			for time.Since(began) < budget && m.Ctx.Err() == nil {
				done += work()
			}
			cpu = max(job.ThreadSeconds()-cpu, 1e-9)
			mu.Lock()
			defer mu.Unlock()
			perSecond += done / cpu / float64(threads)
			share += cpu / time.Since(began).Seconds() / float64(threads)
			return m.Ctx.Err()
		}
	})
	return max(perSecond, 1), share, err
}

// Measure measures the machine for about the budget, on lists with so much slack, and writes a file of at
// most so many bytes.
func (m *Machine) Measure(g *points.Points, slack int, nominal plan.Rates, budget time.Duration, file int64) (rates plan.Rates, err error) {
	threads := m.Threads
	rates = nominal
	if g.Codes != nil && g.Use >= points.CandidateCodes && !g.BytesAreKeys() {
		if err := g.BoundCodes(g.Rows); err != nil {
			return rates, err
		}
	}
	each := budget / 8 // leaves, which matter most, take two
	var shares []float64
	measure := func(to *float64, budget time.Duration, threads int, newWork func() (timed, func())) {
		if err == nil {
			var share float64
			*to, share, err = m.rate(budget, threads, newWork)
			shares = append(shares, share)
		}
	}
	of := &sample{g}
	measure(&rates.Leaf, 2*each, threads, func() (timed, func()) { return of.leafTrial(slack) })
	measure(&rates.Screen, each, threads, holdingNothing(of.screenTrial))
	rates.Screen /= 1.6 // for screens that find something and have full lists; measured on faces, SIFT, GIST, MNIST
	if g.Codes != nil {
		measure(&rates.Tile, each, threads, holdingNothing(of.tileTrial))
	}
	measure(&rates.Keys, each, threads, holdingNothing(of.keyTrial))
	measure(&rates.Touched, each, threads, holdingNothing(touchTrial))
	rates.Touched = max(math.Sqrt(rates.Touched*nominal.Touched), slowTouches*nominal.Touched*min(1, rates.Leaf/nominal.Leaf))
	measure(&rates.Hashed, each, 1, holdingNothing(hashTrial))
	rates.Share = min(1, max(0.01, meanShare(shares)))
	// If the disk has no room for the file, the nominal rates remain: the phase that needs the room reports
	// the lack.
	if err != nil {
		return rates, err
	}
	if written, read, err := m.diskRates(each, max(file, 2*fileChunk)); err == nil {
		rates.Written, rates.Read = written, read
	}
	return rates, nil
}

// The rate of touches is halfway between the trial and the nominal rate. On one quiet machine, trials of one
// build of 6,000,000 rows gave 0.74 to 1.28e9 a second, and the passes that mostly touch memory took the same
// time.
//
// slowTouches limits how much slower touches may be than leaves, relative to the nominal rates. If other
// processes use the machine, their rows are in its caches, which affects a trial more than a build: with
// twenty such processes touches took seven times as long, but joins of 1,000,000 rows, half of whose planned
// time are touches, 1.2 times.
const slowTouches = 0.5

func meanShare(shares []float64) (mean float64) {
	for _, x := range shares {
		mean += x / float64(len(shares))
	}
	return mean
}

// fileChunk is the number of bytes written and read at a time.
const fileChunk = 1 << 20

// diskRates writes a file in the scratch folder in order, and reads it again.
func (m *Machine) diskRates(budget time.Duration, most int64) (written, read float64, err error) {
	dir := m.Scratch
	if _, err := os.Stat(dir); err != nil {
		dir = "" // a plan makes no folders
	}
	f, err := os.CreateTemp(dir, "calibration-")
	if err != nil {
		return 0, 0, fmt.Errorf("builder: %w", err)
	}
	named := os.Remove(f.Name()) != nil // some systems do not remove open files
	defer func() {
		f.Close()
		if named {
			os.Remove(f.Name())
		}
	}()
	data := make([]byte, fileChunk)
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

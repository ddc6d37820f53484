package living

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/knng/knng/vectors"
)

// A PutsPoint is a measurement of a store that rows are put into.
type PutsPoint struct {
	What    string
	Pending int     // rows that wait to be integrated, at the end
	Puts    float64 // a second, in transactions of 100
	Syncs   float64 // transactions a second, or syncs of a file alone
	Middle  time.Duration
	Slow    time.Duration // 99th of 100 searches
}

// syncs is how often the disk is asked to keep as many bytes as a transaction has.
const syncs = 200

// RunPuts builds a graph of the first c.Limit rows and puts rows, in transactions of 100: until as
// many wait as are integrated at a time, which is the bound of the tail, and then others in place
// of these, while another goroutine searches. So every search meets a tail at its bound, and no
// integration. The same bytes written to a file and synced say how much the disk allows.
func (c Config) RunPuts(ctx context.Context, effort int, log io.Writer, tell func(PutsPoint)) (err error) {
	h := &churning{Config: c, Churn: Churn{Effort: effort}, rng: rand.New(rand.NewPCG(churnSeed, 0))}
	if h.in, err = vectors.Open([]string{c.Base}, nil); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.in.Close()) }()
	if err := h.readQueries(); err != nil {
		return err
	}
	if err := h.build(ctx, log); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.db.Close()) }()
	rate, err := syncRate(h.Work, transaction*h.in.Dim()*h.in.Type().Size())
	if err != nil {
		return err
	}
	tell(PutsPoint{What: "the disk alone", Syncs: rate})
	st, err := h.state()
	if err != nil {
		return err
	}
	h.ids = st.Chunk
	for _, step := range []struct {
		what     string
		puts     int
		searches bool
	}{{"puts alone, to the bound of the tail", st.Chunk, false}, {"puts and searches, the tail at its bound", 50 * transaction, true}, {"searches alone, the tail at its bound", 0, true}} {
		if err := h.puts(step.what, step.puts, step.searches, tell); err != nil {
			return err
		}
	}
	return nil
}

// puts puts rows, while another goroutine searches where that is asked for; without rows it
// searches for a while. The tail is at its bound at the end.
func (h *churning) puts(what string, n int, searches bool, tell func(PutsPoint)) error {
	h.waits = h.waits[:0]
	stop, searched := make(chan bool), make(chan error, 1)
	if searches {
		go func() { searched <- h.search(stop) }()
	} else {
		searched <- nil
	}
	p := PutsPoint{What: what}
	begun := time.Now()
	err := h.put(n)
	if n == 0 {
		time.Sleep(2 * time.Second)
	}
	p.Puts = float64(n) / time.Since(begun).Seconds()
	p.Syncs = p.Puts / transaction
	close(stop)
	if err = errors.Join(err, <-searched); err != nil {
		return err
	}
	p.Middle, p.Slow = percentiles(h.waits)
	st, err := h.state()
	if err != nil {
		return err
	}
	if p.Pending = st.Pending; p.Pending != st.Chunk {
		return fmt.Errorf("%s: %d rows wait, want %d", what, p.Pending, st.Chunk)
	}
	tell(p)
	return nil
}

// percentiles are the middle and the 99th of 100, 0 of none.
func percentiles(times []time.Duration) (middle, slow time.Duration) {
	n := len(times)
	if n == 0 {
		return 0, 0
	}
	slices.Sort(times)
	return times[n/2], times[n*99/100]
}

// syncRate is how often a second a file in dir takes so many bytes more and keeps them.
func syncRate(dir string, bytes int) (float64, error) {
	f, err := os.CreateTemp(dir, "syncs")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	block := make([]byte, bytes)
	begun := time.Now()
	for range syncs {
		if _, err := f.Write(block); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return syncs / time.Since(begun).Seconds(), nil
}

// Package lookup measures the cost of finding a list: by the view of a store,
// through Pebble, and in a mapped array of the same lists, which is as fast as it
// can be. Each way is measured in a process of its own, so that the memory it
// takes is its own.
package lookup

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// A Way of looking lists up.
type Way string

// The ways.
const (
	View   Way = "view"   // what a store does
	Pebble Way = "pebble" // what it does where the view was deleted
	Array  Way = "array"  // fixed-length lists in a mapped file, nothing verified
)

// Ways are all of them.
var Ways = []Way{View, Pebble, Array}

// Config is one measurement.
type Config struct {
	Dir        string // a finished store
	Way        Way
	Array      string // the file of WriteArray, of the way array
	Cold       bool   // the files' pages are dropped first, and no row is asked for twice
	Sequential bool   // rows follow one another; else they are drawn at random
	Lookups    int
	Goroutines int // that look rows up at once for the mean, where the cache is warm; 0: one
	Seed       uint64
}

// A Report is the result of a measurement. Times are in nanoseconds; those of single
// lookups hold the clock's own time, Clock.
type Report struct {
	Way        Way     `json:"way"`
	Cold       bool    `json:"cold"`
	Sequential bool    `json:"sequential"`
	Rows       int     `json:"rows"`
	K          int     `json:"k"`
	Lookups    int     `json:"lookups"`
	Mean       float64 `json:"mean_ns"` // without a clock in the loop; of cold ones, less Clock
	P50        float64 `json:"p50_ns"`
	P99        float64 `json:"p99_ns"`
	Most       float64 `json:"most_ns"`
	Clock      float64 `json:"clock_ns"`       // median of reading the clock twice
	Read       float64 `json:"bytes_read"`     // from the disk, a lookup
	Anon       int64   `json:"anon_bytes"`     // taken since before the files were opened
	Resident   int64   `json:"resident_bytes"` // likewise, mapped pages of files included
}

// A finder finds lists.
type finder interface {
	Neighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error)
	Len() int
	K() int
	Close() error
}

// Run measures one way in this process.
func (c *Config) Run() (*Report, error) {
	if c.Cold {
		if err := dropPages(c.Dir, c.Array); err != nil {
			return nil, err
		}
	}
	times := clock(c.Lookups)
	before := readProcess()
	f, err := c.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows := c.rows(f.Len())
	r := &Report{Way: c.Way, Cold: c.Cold, Sequential: c.Sequential, Rows: f.Len(), K: f.K(), Lookups: len(rows), Clock: median(times)}
	buf := make([]store.Neighbor, 0, f.K())
	if !c.Cold {
		if err := warm(f, rows, max(1, c.Goroutines), r); err != nil {
			return nil, err
		}
	}
	read := readProcess().read
	if err := timed(f, rows, buf, times[:len(rows)], r); err != nil {
		return nil, err
	}
	after := readProcess()
	r.Read = float64(after.read-read) / float64(len(rows))
	own := int64(8 * cap(rows))
	r.Anon, r.Resident = after.anon-before.anon-own, after.resident-before.resident-own
	return r, nil
}

// open opens the lists in a way.
func (c *Config) open() (finder, error) {
	switch c.Way {
	case View:
		s, err := store.Open(c.Dir, nil)
		if err == nil && !s.Info().View {
			err = errors.Join(fmt.Errorf("%s has no view", c.Dir), s.Close())
		}
		return s, err
	case Pebble:
		return openWithoutView(c.Dir)
	case Array:
		return openArray(c.Array)
	}
	return nil, fmt.Errorf("no way %q, want one of %v", c.Way, Ways)
}

// withoutView is a store whose view is not there.
type withoutView struct {
	*store.Store
	dir string
}

// openWithoutView opens a folder beside a store of hard links to all of its files but the
// view: a store's folder holds no symbolic links.
func openWithoutView(dir string) (finder, error) {
	links, err := os.MkdirTemp(filepath.Dir(dir), "knng-lookup-")
	if err != nil {
		return nil, err
	}
	err = linkAll(dir, links)
	var s *store.Store
	if err == nil {
		s, err = store.Open(links, nil)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(links))
	}
	return &withoutView{s, links}, nil
}

// linkAll links the files of a store into another folder, all but its view.
func linkAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil || rel == "." || rel == "view":
			return err
		case e.IsDir():
			return os.Mkdir(filepath.Join(to, rel), 0o777)
		}
		return os.Link(path, filepath.Join(to, rel))
	})
}

func (w *withoutView) Close() error { return errors.Join(w.Store.Close(), os.RemoveAll(w.dir)) }

// rows draws the rows to be looked up: cold ones are distinct.
func (c *Config) rows(n int) []store.Row {
	rng := rand.New(rand.NewPCG(c.Seed, 1))
	rows := make([]store.Row, 0, c.Lookups)
	first, asked := rng.IntN(n), make([]uint64, (n+63)/64)
	for len(rows) < c.Lookups && !(c.Cold && len(rows) == n) {
		row := (first + len(rows)) % n
		if !c.Sequential {
			row = rng.IntN(n)
		}
		if c.Cold && !c.Sequential {
			if asked[row/64]>>(row%64)&1 == 1 {
				continue
			}
			asked[row/64] |= 1 << (row % 64)
		}
		rows = append(rows, store.Row(row))
	}
	return rows
}

// warm looks the rows up once, to measure the memory that this takes, and again for
// the time that a lookup takes without a clock beside it.
func warm(f finder, rows []store.Row, goroutines int, r *Report) error {
	for range 2 {
		begin := time.Now()
		err := vectors.Ranges(goroutines, len(rows), (len(rows)+goroutines-1)/goroutines, func() func(from, to int) error {
			buf := make([]store.Neighbor, 0, f.K())
			return func(from, to int) error {
				for _, row := range rows[from:to] {
					if _, err := f.Neighbors(row, buf); err != nil {
						return err
					}
				}
				return nil
			}
		})
		if err != nil {
			return err
		}
		r.Mean = float64(time.Since(begin)) / float64(len(rows))
	}
	return nil
}

// timed looks the rows up with a clock at each, and takes their mean where there is none yet.
func timed(f finder, rows []store.Row, buf []store.Neighbor, times []int64, r *Report) error {
	begin := time.Now()
	for i, row := range rows {
		begin := time.Now()
		if _, err := f.Neighbors(row, buf); err != nil {
			return err
		}
		times[i] = int64(time.Since(begin))
	}
	if r.Mean == 0 {
		r.Mean = float64(time.Since(begin))/float64(len(rows)) - r.Clock
	}
	r.P50 = median(times)
	r.P99, r.Most = float64(times[len(times)*99/100]), float64(times[len(times)-1])
	return nil
}

// clock times nothing, n times.
func clock(n int) []int64 {
	times := make([]int64, n)
	for i := range times {
		begin := time.Now()
		times[i] = int64(time.Since(begin))
	}
	return times
}

// median sorts the times.
func median(times []int64) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2])
}

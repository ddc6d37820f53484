package living

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/aside"
)

// Config is a measurement to be made.
type Config struct {
	Base    string // file of rows
	Queries string // file of queries
	Limit   int    // only the first rows; 0: all
	Count   int    // only the first queries; 0: all
	Work    string // folder for graphs, indexes and the truth
	Keep    string // folder for the peers' indexes; "": Work
	K       int    // results of a query
	Lists   int    // neighbors of a row in the graph
	Recall  float64
	Method  builder.Method // "": auto
	Efforts []int
	Threads []int
	Rounds  int
	Peers   []string // of hnswlib, usearch, usearch-i8, faiss, faiss-u8
	Python  string
}

// A Point is a side's recall and rate at an effort.
type Point struct {
	Side        string  `json:"side"`
	Effort      int     `json:"effort"`
	Threads     int     `json:"threads"`
	Recall      float64 `json:"recall"`
	Rate        float64 `json:"queries_a_second"` // median of the rounds
	Rates       []float64
	Comparisons float64 `json:"comparisons"` // of a query; 0 where the side does not tell
}

// A side answers all queries.
type side interface {
	name() string
	// made is how long it took to make the index from the file of rows, in this run or an
	// earlier one, and the processor's time for it; 0 where that is not known.
	made() (seconds, processor float64)
	answer(ctx context.Context, effort, threads int) (recall, seconds, comparisons float64, err error)
	close() error
}

// Run measures all points and tells each. log is told how long sides took to be
// made.
func (c Config) Run(ctx context.Context, log io.Writer, tell func(Point)) (err error) {
	if c.Keep == "" {
		c.Keep = c.Work
	}
	if err := errors.Join(os.MkdirAll(c.Work, 0o777), os.MkdirAll(c.Keep, 0o777)); err != nil {
		return err
	}
	ours, err := c.open(ctx, nil)
	if err != nil {
		return err
	}
	sides := []side{ours}
	defer func() {
		for _, s := range sides {
			err = errors.Join(err, s.close())
		}
	}()
	fmt.Fprintf(log, "knng: %d rows, %d queries, links made in %.2f s, %d leaders\n", ours.s.Len(), ours.queries.Len(), ours.links, ours.s.Leaders())
	if ours.exact, err = c.truth(ctx, ours, log); err != nil {
		return err
	}
	for _, name := range c.Peers {
		p, err := c.peer(ctx, name, ours)
		if err != nil {
			fmt.Fprintf(log, "%s is left out: %v\n", name, err)
			continue
		}
		sides = append(sides, p)
	}
	for _, s := range sides {
		seconds, processor := s.made()
		fmt.Fprintf(log, "%s: made in %.1f s, %.1f s of processor\n", s.name(), seconds, processor)
	}
	for _, threads := range c.Threads {
		for _, effort := range c.Efforts {
			if err := c.point(ctx, sides, effort, threads, ours.queries.Len(), tell); err != nil {
				return err
			}
		}
	}
	return nil
}

// point measures all sides at an effort, in turn.
func (c Config) point(ctx context.Context, sides []side, effort, threads, queries int, tell func(Point)) error {
	points := make([]Point, len(sides))
	for range c.Rounds {
		for i, s := range sides {
			p := &points[i]
			p.Side, p.Effort, p.Threads = s.name(), effort, threads
			recall, seconds, comparisons, err := s.answer(ctx, effort, threads)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name(), err)
			}
			p.Recall, p.Comparisons = recall, comparisons
			p.Rates = append(p.Rates, float64(queries)/seconds)
		}
	}
	for _, p := range points {
		slices.Sort(p.Rates)
		p.Rate = p.Rates[len(p.Rates)/2]
		tell(p)
	}
	return nil
}

// knng is the side that is measured.
type knng struct {
	g        *store.Store
	s        *search.Searcher
	byCount  map[int]*search.Searcher // by threads
	queries  *vectors.Rows
	values   [][]float32
	in       *vectors.Input
	exact    [][]store.Neighbor
	k        int
	building float64
	cpu      float64
	links    float64
}

// name of a file of this configuration.
func (c Config) path(what string) string {
	base := strings.TrimSuffix(filepath.Base(c.Base), filepath.Ext(c.Base))
	return filepath.Join(c.Work, fmt.Sprintf("%s-%d-%s", base, c.Limit, what))
}

// kept is the path of a peer's file of this configuration.
func (c Config) kept(what string) string {
	if c.Keep != "" {
		c.Work = c.Keep
	}
	return c.path(what)
}

// open builds the graph where it is not there, and opens it and the queries.
func (c Config) open(ctx context.Context, o *search.Options) (s *knng, err error) {
	s = &knng{k: c.K, byCount: map[int]*search.Searcher{}}
	dir := c.path("graph")
	rows, err := vectors.Open([]string{c.Base}, &vectors.OpenOptions{Limit: c.Limit, Scratch: c.Work})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	begun, spent := time.Now(), processor()
	_, err = builder.Build(ctx, dir, rows, builder.Options{K: c.Lists, Recall: c.Recall, Method: c.Method})
	if err != nil && !errors.Is(err, store.ErrFinished) {
		return nil, err
	}
	if err == nil {
		s.building = time.Since(begun).Seconds()
	}
	if s.g, err = store.Open(dir, &store.Options{AsBuilt: true}); err != nil {
		return nil, err
	}
	begun = time.Now()
	if s.s, err = search.Open(s.g, o); err != nil {
		return nil, err
	}
	s.links = time.Since(begun).Seconds()
	if s.building > 0 {
		s.building += s.links
		s.cpu = processor() - spent
	}
	return s, c.openQueries(s)
}

func (c Config) openQueries(s *knng) (err error) {
	if s.in, err = vectors.Open([]string{c.Queries}, &vectors.OpenOptions{Limit: c.Count, Scratch: c.Work}); err != nil {
		return err
	}
	var ok bool
	if s.queries, ok = s.in.Mapped(); !ok {
		return fmt.Errorf("living: %s cannot be mapped", c.Queries)
	}
	for i := range s.queries.Len() {
		v := make([]float32, s.queries.Dim())
		vectors.Decode(s.queries.Type(), s.queries.Row(i), v)
		s.values = append(s.values, v)
	}
	return nil
}

// truth finds the exact answers, or reads them back.
func (c Config) truth(ctx context.Context, s *knng, log io.Writer) (exact [][]store.Neighbor, err error) {
	path := c.path(fmt.Sprintf("truth-%d-%d", s.queries.Len(), c.K))
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		return exact, gob.NewDecoder(f).Decode(&exact)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	begun := time.Now()
	if exact, err = s.s.SearchAll(ctx, s.queries, search.Query{K: c.K, Exact: true}); err != nil {
		return nil, err
	}
	fmt.Fprintf(log, "exact answers in %.1f s\n", time.Since(begun).Seconds())
	p, err := aside.Create(path)
	if err != nil {
		return nil, err
	}
	defer p.Abort()
	if err := gob.NewEncoder(p).Encode(exact); err != nil {
		return nil, err
	}
	return exact, p.Commit()
}

func (s *knng) name() string                       { return "knng" }
func (s *knng) made() (seconds, processor float64) { return s.building, s.cpu }

func (s *knng) answer(ctx context.Context, effort, threads int) (recall, seconds, comparisons float64, err error) {
	w := s.byCount[threads]
	if w == nil {
		if w, err = search.Open(s.g, &search.Options{Threads: threads}); err != nil {
			return 0, 0, 0, err
		}
		s.byCount[threads] = w
	}
	before := w.Counts()
	begun := time.Now()
	found, err := w.SearchAll(ctx, s.queries, search.Query{K: s.k, Effort: effort})
	seconds = time.Since(begun).Seconds()
	if err != nil {
		return 0, 0, 0, err
	}
	for i := range found {
		recall += search.Recall(found[i], s.exact[i]) / float64(len(found))
	}
	return recall, seconds, w.Counts().Sub(before).PerQuery(), nil
}

func (s *knng) close() error {
	errs := []error{s.s.Close(), s.in.Close(), s.g.Close()}
	for _, w := range s.byCount {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

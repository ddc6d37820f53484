package living

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
)

// A ColdPoint is a measurement of queries that find nothing in memory.
type ColdPoint struct {
	Effort int
	Recall float64
	Asked  float64       // reads that a query asked for, of a page by codes, else of 16 KiB
	Pages  float64       // of 4 KiB that the disk read for a query; 0 where the system does not tell
	Places float64       // whose links were followed
	Rows   float64       // that were compared
	Codes  float64       // that distances were estimated by
	Middle time.Duration // of a query
	Slow   time.Duration // 95th of 100
}

// RunCold measures queries one by one, before each of which the system forgets the files of
// the graph. budget is the memory that may hold rows and links: see search.Options.
func (c Config) RunCold(ctx context.Context, queries int, budget int64, log io.Writer, tell func(ColdPoint)) error {
	ours, err := c.open(ctx, &search.Options{Budget: budget})
	if err != nil {
		return err
	}
	defer ours.close()
	if ours.exact, err = c.truth(ctx, ours, log); err != nil {
		return err
	}
	s := ours.s
	n := min(queries, len(ours.values))
	for _, effort := range c.Efforts {
		p, err := c.cold(ctx, ours, s, effort, n)
		if err != nil {
			return err
		}
		tell(p)
	}
	return nil
}

// cold measures the first n queries at an effort.
func (c Config) cold(ctx context.Context, ours *knng, s *search.Searcher, effort, n int) (p ColdPoint, err error) {
	p.Effort = effort
	var took []time.Duration
	before, read := s.Counts(), int64(0)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		if err := forget(ours.g.Dir()); err != nil {
			return p, fmt.Errorf("the system keeps the files in memory: %w", err)
		}
		bytes, began := diskBytes(), time.Now()
		var found []store.Neighbor
		if found, err = s.Search(ours.values[i], search.Query{K: c.K, Effort: effort}); err != nil {
			return p, err
		}
		took = append(took, time.Since(began))
		read += diskBytes() - bytes
		p.Recall += search.Recall(found, ours.exact[i]) / float64(n)
	}
	slices.Sort(took)
	counts, per := s.Counts().Sub(before), 1/float64(n)
	p.Asked, p.Places = float64(counts.Reads)*per, float64(counts.Hops)*per
	p.Rows, p.Codes = float64(counts.Evaluations)*per, float64(counts.Estimates)*per
	p.Pages = float64(read) / 4096 / float64(n)
	p.Middle, p.Slow = took[n/2], took[n*95/100]
	return p, nil
}

package living

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// A Churn is a history of a living store: rounds in each of which a share of the rows is deleted
// and as many others are put, or one in which rows are deleted only.
type Churn struct {
	Rounds  int
	Share   float64 // of the rows, in a round
	Deletes []int   // or: after so many per cent of the rows are deleted
	Every   int     // rounds between measurements
	Sample  int     // rows whose lists are measured
	Effort  int     // of searches
}

// A ChurnPoint is a measurement.
type ChurnPoint struct {
	What        string
	Lists       builder.RecallEstimate
	Search      float64 // recall@k of all queries
	Fewest      int     // results of a query
	Rows        int
	Layered     int
	Pending     int
	Dead        int
	Compactions int
	Compacting  float64                // seconds in all
	Integrating float64                // seconds in all
	Controls    builder.RecallEstimate // of lists, as the store tells it without a pass over the rows
	Puts        float64                // a second, in transactions of 100
	Middle      time.Duration
	Slow        time.Duration // 99th of 100 searches while rows were put
}

const (
	transaction = 100
	churnSeed   = 1
)

// churning is a history that runs.
type churning struct {
	Config
	Churn
	db      *living.DB
	in      *vectors.Input
	next    int // row of the file that is put next
	ids     int // rows that are put have so many ids, in turn, and replace those of before; 0: none
	live    []store.Row
	rng     *rand.Rand
	queries [][]float32
	point   ChurnPoint
	waits   []time.Duration
}

// RunChurn builds a graph of the first c.Limit rows, and runs a history over it. Rows are put
// from the rest of the file, which begins anew at its end.
func (c Config) RunChurn(ctx context.Context, churn Churn, log io.Writer, tell func(ChurnPoint)) (err error) {
	h := &churning{Config: c, Churn: churn, rng: rand.New(rand.NewPCG(churnSeed, 0))}
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
	if err := h.measure(ctx, "built", tell); err != nil {
		return err
	}
	if len(churn.Deletes) > 0 {
		return h.deletes(ctx, tell)
	}
	for round := 1; round <= churn.Rounds; round++ {
		if err := h.round(ctx); err != nil {
			return err
		}
		if round%max(1, churn.Every) == 0 || round == churn.Rounds {
			if err := h.measure(ctx, "round "+strconv.Itoa(round), tell); err != nil {
				return err
			}
		}
	}
	if err := h.compact(ctx); err != nil {
		return err
	}
	return h.measure(ctx, "compacted", tell)
}

func (h *churning) readQueries() error {
	in, err := vectors.Open([]string{h.Queries}, &vectors.OpenOptions{Limit: h.Count})
	if err != nil {
		return err
	}
	defer in.Close()
	raw := make([]byte, in.Dim()*in.Type().Size())
	for i := range in.Len() {
		if err := in.ReadRows(i, raw); err != nil {
			return err
		}
		q := make([]float32, in.Dim())
		vectors.Decode(in.Type(), raw, q)
		h.queries = append(h.queries, q)
	}
	return nil
}

// build makes the graph in the work folder, anew.
func (h *churning) build(ctx context.Context, log io.Writer) error {
	dir := h.path("churn.knng")
	if err := errors.Join(os.MkdirAll(h.Work, 0o777), os.RemoveAll(dir)); err != nil {
		return err
	}
	in, err := vectors.Open([]string{h.Base}, &vectors.OpenOptions{Limit: h.Limit})
	if err != nil {
		return err
	}
	defer in.Close()
	result, err := builder.Build(ctx, dir, in, builder.Options{K: h.Lists, Recall: h.Recall})
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "built %d rows in %.1f s, %.1f s of processor\n", in.Len(), result.Seconds, result.CPUSeconds)
	h.next = in.Len()
	for row := range in.Len() {
		h.live = append(h.live, store.Row(row))
	}
	h.db, err = living.Open(dir, nil)
	return err
}

// drop deletes random rows, in transactions.
func (h *churning) drop(n int) error {
	for n > 0 {
		some := min(n, transaction)
		err := h.db.Update(func(tx *living.Tx) error {
			for range some {
				at := h.rng.IntN(len(h.live))
				if err := tx.DeleteRow(h.live[at]); err != nil {
					return err
				}
				h.live[at] = h.live[len(h.live)-1]
				h.live = h.live[:len(h.live)-1]
			}
			return nil
		})
		if err != nil {
			return err
		}
		n -= some
	}
	return nil
}

// put puts rows of the file, in transactions.
func (h *churning) put(n int) error {
	raw, values := make([]byte, h.in.Dim()*h.in.Type().Size()), make([]float32, h.in.Dim())
	for n > 0 {
		some := min(n, transaction)
		err := h.db.Update(func(tx *living.Tx) error {
			for range some {
				if err := h.in.ReadRows(h.next%h.in.Len(), raw); err != nil {
					return err
				}
				h.next++
				vectors.Decode(h.in.Type(), raw, values)
				id := ""
				if h.ids > 0 {
					id = living.Int(int64(h.next % h.ids))
				}
				row, err := tx.Put(id, values)
				if err != nil {
					return err
				}
				h.live = append(h.live, row)
			}
			return nil
		})
		if err != nil {
			return err
		}
		n -= some
	}
	return nil
}

// round deletes and puts while another goroutine searches, and compacts where that is due.
func (h *churning) round(ctx context.Context) error {
	n := max(1, int(h.Share*float64(len(h.live))))
	if err := h.drop(n); err != nil {
		return err
	}
	stop, searched := make(chan bool), make(chan error)
	go func() { searched <- h.search(stop) }()
	began := time.Now()
	err := h.put(n)
	h.point.Puts = float64(n) / time.Since(began).Seconds()
	close(stop)
	if err = errors.Join(err, <-searched); err != nil {
		return err
	}
	began = time.Now()
	if err := h.db.Integrate(ctx); err != nil {
		return err
	}
	h.point.Integrating += time.Since(began).Seconds()
	st, err := h.state()
	if err != nil || !st.Due {
		return err
	}
	return h.compact(ctx)
}

// state is that of the newest view.
func (h *churning) state() (living.State, error) {
	v, err := h.db.View()
	if err != nil {
		return living.State{}, err
	}
	return v.State(), v.Close()
}

func (h *churning) compact(ctx context.Context) error {
	began := time.Now()
	err := rebuild.Compact(ctx, h.db, rebuild.Options{})
	if errors.Is(err, builder.ErrBelowTarget) {
		err = nil
	}
	h.point.Compactions++
	h.point.Compacting += time.Since(began).Seconds()
	return err
}

// search looks for one query after another, each in the newest view.
func (h *churning) search(stop chan bool) error {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		default:
		}
		began := time.Now()
		v, err := h.db.View()
		if err != nil {
			return err
		}
		_, err = v.Search(h.queries[i%len(h.queries)], living.Query{K: h.K, Effort: h.Effort})
		if err = errors.Join(err, v.Close()); err != nil {
			return err
		}
		h.waits = append(h.waits, time.Since(began))
	}
}

// deletes measures without a compaction, while more and more rows are dead.
func (h *churning) deletes(ctx context.Context, tell func(ChurnPoint)) error {
	all := len(h.live)
	for _, percent := range h.Churn.Deletes {
		if err := h.drop(len(h.live) - all*(100-percent)/100); err != nil {
			return err
		}
		if err := h.measure(ctx, strconv.Itoa(percent)+" % deleted", tell); err != nil {
			return err
		}
	}
	return nil
}

// measure tells the recall of lists and of searches now.
func (h *churning) measure(ctx context.Context, what string, tell func(ChurnPoint)) error {
	v, err := h.db.View()
	if err != nil {
		return err
	}
	defer v.Close()
	p := h.point
	p.What = what
	if p.Lists, err = rebuild.Recall(ctx, v, h.Sample, churnSeed, max(1, slices.Max(h.Threads))); err != nil {
		return err
	}
	if p.Controls, err = rebuild.Controls(ctx, v, max(1, slices.Max(h.Threads))); err != nil {
		return err
	}
	p.Fewest = h.K
	for _, q := range h.queries {
		found, err := v.Search(q, living.Query{K: h.K, Effort: h.Effort})
		if err != nil {
			return err
		}
		exact, err := v.Search(q, living.Query{K: h.K, Exact: true})
		if err != nil {
			return err
		}
		p.Search += search.Recall(found, exact) / float64(len(h.queries))
		p.Fewest = min(p.Fewest, len(found))
	}
	st := v.State()
	p.Rows, p.Layered, p.Pending, p.Dead = st.Rows, st.Layered, st.Pending, st.Dead
	p.Middle, p.Slow = percentiles(h.waits)
	h.waits = h.waits[:0]
	tell(p)
	return nil
}

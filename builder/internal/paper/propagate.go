package paper

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/propagation"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store"
)

// propagate runs one round: it searches around every row in the lists of this generation, and the visited
// rows make the next one.
func (m *Method) propagate() error {
	next := m.Lists
	if !m.opts.InPlace {
		next = m.Lists.Clone()
	}
	st, p, err := m.searchAll(next)
	if err != nil {
		if next != m.Lists {
			next.Free()
		}
		return err
	}
	if next != m.Lists {
		m.Lists.Free()
		m.Lists = next
	}
	err = m.EndStage(st)
	p.End("propagation %d: %.0f pairs a row%s", st.Number, float64(st.Requested)/float64(m.N()), m.SteerNote())
	return err
}

// searchAll searches around every row and offers the visited rows to next.
func (m *Method) searchAll(next *knn.Lists) (job.Stage, *progress.Phase, error) {
	number := m.State.Count(job.PropagationStage) + 1
	if err := m.Replay(m.StageNumber(), next); err != nil {
		return job.Stage{}, nil, err
	}
	rows := min(unitRows, max(256, m.N()/16))
	units := (m.N() + rows - 1) / rows
	p := m.Begin(fmt.Sprintf("propagation %d", number), "units", int64(units))
	locks := new(rowLocks)
	sum, err := m.DoUnits(p, units, func() job.Work { return m.propagator(next, locks, rows).unit })
	return job.Stage{Kind: job.PropagationStage, Number: number, Requested: sum.Requested, Evaluated: sum.Evaluated}, p, err
}

// rowLocks guards the lists of the next generation, many rows a lock.
type rowLocks [1 << 12]sync.Mutex

func (l *rowLocks) of(place uint32) *sync.Mutex {
	return &l[place*0x9e3779b1>>20]
}

// propagator holds the buffers of one goroutine.
type propagator struct {
	*Method
	search *propagation.BestFirst
	next   *knn.Lists
	locks  *rowLocks
	rows   int // of a unit
	log    []offer
}

// offer is a candidate that entered a list.
type offer struct {
	to, id uint32
	key    float32
}

func (m *Method) propagator(next *knn.Lists, locks *rowLocks, rows int) *propagator {
	keys := propagation.Keys(m.Keys())
	reuse := m.opts.Reuse
	return &propagator{Method: m, next: next, locks: locks, rows: rows,
		search: propagation.New(m.Lists, keys, m.Order, m.opts.Visits, reuse)}
}

// unit searches around a range of rows and returns the entries that entered lists.
func (w *propagator) unit(u int) ([]store.Lists, job.Counts, error) {
	w.log = w.log[:0]
	before := w.search.Count()
	for p := u * w.rows; p < min((u+1)*w.rows, w.N()); p++ {
		if err := w.around(uint32(p)); err != nil {
			return nil, job.Counts{}, fmt.Errorf("builder: row %d: %w", w.Order[p], err)
		}
		if p%256 == 0 && w.Ctx.Err() != nil {
			return nil, job.Counts{}, w.Ctx.Err()
		}
	}
	after := w.search.Count()
	counts := job.Counts{Requested: after.Requested - before.Requested, Evaluated: after.Evaluated - before.Evaluated}
	return w.blocks(), counts, nil
}

// around offers all places visited around p to p, and p to them. A key beyond the end of a list of this
// generation is also beyond its end in the next one: that test needs no lock and stops nearly all.
func (w *propagator) around(p uint32) error {
	ids, keys, err := w.search.Around(p)
	if err != nil {
		return err
	}
	worst := w.Lists.Worst(p)
	for i, id := range ids {
		if keys[i] <= worst {
			w.offer(p, id, keys[i])
		}
		if w.opts.Pairwise && keys[i] <= w.Lists.Worst(id) {
			w.offer(id, p, keys[i])
		}
	}
	return nil
}

func (w *propagator) offer(to, id uint32, key float32) {
	lock := w.locks.of(to)
	lock.Lock()
	entered := w.next.Offer(to, id, key)
	lock.Unlock()
	if entered {
		w.log = append(w.log, offer{to, id, key})
	}
}

// blocks groups the log by receiver. Entries that better ones have since pushed out are offered again on
// resume, and pushed out again.
func (w *propagator) blocks() []store.Lists {
	slices.SortFunc(w.log, func(a, b offer) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id))
	})
	var blocks store.Batches
	for _, o := range w.log {
		blocks.Add(o.to, o.id, o.key)
	}
	return blocks
}

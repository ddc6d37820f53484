package refine

import (
	"cmp"
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/propagation"
	"github.com/knng/knng/store"
)

// walk visits around every row, best first, and commits the offers.
func (r *run) walk() error {
	if r.K == 0 || len(r.State.Stages) >= walkStage {
		return nil
	}
	sum, err := r.doUnits("walk", func() unitWork {
		return (&walker{run: r, search: propagation.New(r.start.reader(), r.keys(), r.Order, r.opts.Visits, true)}).unit
	})
	if err != nil {
		return err
	}
	r.Say("walk: %.0f rows visited around each", float64(sum.Requested)/float64(r.N()))
	return r.endStage("walk", sum)
}

// walker is one goroutine's tools.
type walker struct {
	*run
	search *propagation.BestFirst
	log    []offer
}

// offer is a candidate that may enter the list of a place.
type offer struct {
	to uint32
	entry
}

// unit walks around a range of places. An entry after the bound of a place is after the end of
// its new list too: that test stops nearly all offers.
func (w *walker) unit(from, to int) ([]store.Lists, job.Counts, error) {
	w.log = w.log[:0]
	before := w.search.Count()
	for p := uint32(from); p < uint32(to); p++ {
		if err := w.Ctx.Err(); err != nil {
			return nil, job.Counts{}, err
		}
		ids, keys, err := w.search.Around(p)
		if err != nil {
			return nil, job.Counts{}, err
		}
		for i, id := range ids {
			if w.compare(entry{keys[i], id}, w.bounds[p]) <= 0 {
				w.log = append(w.log, offer{p, entry{keys[i], id}})
			}
			if w.compare(entry{keys[i], p}, w.bounds[id]) <= 0 {
				w.log = append(w.log, offer{id, entry{keys[i], p}})
			}
		}
	}
	after := w.search.Count()
	return w.blocks(), job.Counts{Requested: after.Requested - before.Requested, Evaluated: after.Evaluated - before.Evaluated}, nil
}

// blocks gathers the log by receiver. A pair of rows of the unit that offered themselves to each
// other is in it twice, one after the other.
func (w *walker) blocks() []store.Lists {
	slices.SortFunc(w.log, func(a, b offer) int {
		if a.to != b.to {
			return cmp.Compare(a.to, b.to)
		}
		return w.compare(a.entry, b.entry)
	})
	w.log = slices.Compact(w.log)
	var blocks store.Batches
	for _, o := range w.log {
		blocks.Add(o.to, o.id, o.key)
	}
	return blocks
}

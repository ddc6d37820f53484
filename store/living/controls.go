package living

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/layer"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// Controls are rows with exact lists, several times as long as those shown. They are drawn by their numbers,
// from the rows of the base and, at the same rate, from the rows put since.
const (
	controlRows  = 256
	controlTimes = 4
	mostControls = 8 * controlRows
)

// isControl reports whether a row is drawn, at the rate that gives controlRows of a base.
func isControl(row uint64, rows int) bool {
	if rows <= controlRows {
		return true
	}
	x := row + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	high, _ := bits.Mul64(x, uint64(rows))
	return high < controlRows
}

// controls updates exact lists to the cut, and adds those of new controls.
func (in *integration) controls(old *layer.Lists) (layer.Lists, error) {
	most := controlTimes * in.v.st.k
	offers, err := in.controlOffers(old)
	if err != nil {
		return layer.Lists{}, err
	}
	lists := old.Merge(offers, most, in.v.live, nil)
	refs := in.drawn(lists.Len())
	exact := make([][]layer.Entry, len(refs))
	err = vectors.Ranges(in.threads, len(refs), 1, func() func(from, to int) error {
		return func(from, _ int) (err error) {
			if err := in.ctx.Err(); err != nil {
				return err
			}
			exact[from], err = in.v.exactList(refs[from], most)
			return err
		}
	})
	if err != nil {
		return layer.Lists{}, err
	}
	for i, list := range exact {
		horizon := layer.Inf
		if len(list) == most {
			horizon = list[most-1].Key
		}
		lists.Append(refs[i], horizon, list)
	}
	return lists, nil
}

// drawn returns the refs of new rows that become controls; also of rows of the base, if there is no layer
// yet.
func (in *integration) drawn(have int) (refs []uint32) {
	base := in.v.st.positions()
	in.v.st.each(in.v.snap, func(row uint64, p, at uint32) bool {
		isNew := in.v.snap.layer == nil
		if row >= in.v.st.first {
			isNew, p = at >= in.from, base+at
		}
		if isNew && isControl(row, in.v.st.base.count) && have+len(refs) < mostControls {
			refs = append(refs, p)
		}
		return true
	})
	return refs
}

// exactList compares a ref with all live rows.
func (v *View) exactList(ref uint32, most int) ([]layer.Entry, error) {
	query, err := v.vectorOf(ref, nil)
	if err != nil {
		return nil, err
	}
	w := v.walker()
	defer v.walkers.Put(w)
	b := best{k: most}
	w.seen = func(to uint32, key float32) {
		if key <= b.bound() && to != ref && v.live(to) {
			b.offer(to, key)
		}
	}
	_, err = w.compare(query, &Query{K: 1, Exact: true})
	return sorted(b.all), err
}

// controlOffers compares controls with the new rows.
func (in *integration) controlOffers(old *layer.Lists) (offers []layer.Offer, err error) {
	each := make([][]layer.Offer, old.Len())
	err = vectors.Ranges(in.threads, old.Len(), 4, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				if err := in.compareControl(old, i, &each[i]); err != nil {
					return err
				}
			}
			return in.ctx.Err()
		}
	})
	return slices.Concat(each...), err
}

func (in *integration) compareControl(old *layer.Lists, i int, offers *[]layer.Offer) error {
	ref := old.Refs[i]
	if !in.v.live(ref) {
		return nil
	}
	query, err := in.v.vectorOf(ref, nil)
	if err != nil {
		return err
	}
	w := in.v.walker()
	defer in.v.walkers.Put(w)
	w.seen = func(to uint32, key float32) {
		if key <= old.Horizons[i] {
			*offers = append(*offers, layer.Offer{Ref: ref, Entry: layer.Entry{To: to, Key: key}})
		}
	}
	if err := w.set(query, 1, 0); err != nil {
		return err
	}
	w.tail(in.from, &Query{K: 1})
	return nil
}

// Controls compares the lists of a sample of live rows, as Neighbors gives them, with their exact lists, and
// returns the recall of each. Integrate keeps the exact lists, so this needs no pass over the rows; before
// the first Integrate after a build there are none. Cancelling ctx stops it. Errors: those of Neighbors,
// ctx's.
func (v *View) Controls(ctx context.Context, threads int) (recalls []float64, err error) {
	if !v.calls.Enter() {
		return nil, ErrClosed
	}
	defer v.calls.Leave()
	l := v.snap.layer
	if l == nil {
		return nil, nil
	}
	per := make([]float64, l.Controls.Len())
	err = vectors.Ranges(max(1, threads), len(per), 4, func() func(from, to int) error {
		return func(from, to int) (err error) {
			for i := from; i < to && err == nil; i++ {
				if per[i], err = v.control(l, i); err == nil {
					err = ctx.Err()
				}
			}
			return err
		}
	})
	return slices.DeleteFunc(per, func(r float64) bool { return r < 0 }), err
}

// control returns the recall of a control's list; less than 0 if the row is dead, or if too many rows of its
// exact list are.
func (v *View) control(l *layer.Layer, i int) (float64, error) {
	ref := l.Controls.Refs[i]
	k := min(v.st.k, v.Len()-1)
	if !v.live(ref) || k == 0 {
		return -1, nil
	}
	query, err := v.vectorOf(ref, nil)
	if err != nil {
		return 0, err
	}
	exact, err := v.withTail(l, i, query)
	if err != nil || len(exact) < k || exact[k-1].Key > l.Controls.Horizons[i] {
		return -1, err
	}
	list, err := v.neighbors(v.st.rowOf(ref), new(NeighborsOptions))
	if err != nil {
		return 0, err
	}
	var want []store.Neighbor
	for _, e := range exact[:k] {
		want = append(want, store.Neighbor{Row: v.st.rowOf(e.To), Distance: v.st.shown(e.Key)})
	}
	return search.Recall(list, want), nil
}

// withTail returns the exact list of a control, including the rows that are not in the graph yet.
func (v *View) withTail(l *layer.Layer, i int, query []float32) ([]layer.Entry, error) {
	to, keys := l.Controls.At(i)
	var list []layer.Entry
	for j := range to {
		list = append(list, layer.Entry{To: to[j], Key: keys[j]})
	}
	w := v.walker()
	defer v.walkers.Put(w)
	if err := w.set(query, 1, 0); err != nil {
		return nil, err
	}
	w.seen = func(to uint32, key float32) { list = append(list, layer.Entry{To: to, Key: key}) }
	w.tail(l.Rows, &Query{K: 1})
	list, _ = layer.Fold(list, float32(math.Inf(1)), len(list), v.live)
	return list, nil
}

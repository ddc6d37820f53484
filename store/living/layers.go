package living

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/layer"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/vectors"
)

// linkEffort is the effort of the searches that give rows their lists. On 100,000 SIFT descriptors, a tenth
// of them put, 128 gives new rows lists as good as a build's.
const linkEffort = 128

// An integration makes a new layer from the previous one and further rows.
type integration struct {
	ctx     context.Context
	v       *View // at the cut
	from    uint32
	most    int      // entries of a list
	horizon []uint32 // bits, for every ref; unknownBits until it is looked up
	threads int
}

const unknownBits = 0x7fc0_0001 // a NaN

// nextLayer makes the layer of the first rows of the tail.
func (st *state) nextLayer(ctx context.Context, snap *snapshot, rows uint32, threads int) (*layer.Layer, error) {
	cut := st.cut(snap, rows)
	in := &integration{ctx: ctx, v: &View{st: st, snap: cut}, from: cut.covered(), most: st.k + slackOf(st.k), threads: threads}
	l := &layer.Layer{Base: st.positions(), Rows: rows, Op: cut.ops}
	old := cut.layer
	if old == nil {
		old = &layer.Layer{Base: l.Base}
	}
	in.setHorizons(old)
	found, offers, err := in.lists()
	if err != nil {
		return nil, err
	}
	l.Lists = old.Lists.Merge(offers, in.most, in.v.live, func(ref uint32) float32 { h, _ := in.horizonOf(ref); return h })
	l.Anchors = append(append(make([]uint32, 0, rows), old.Anchors...), make([]uint32, rows-in.from)...)
	for i := range found {
		l.Anchors[in.from+uint32(i)] = found[i].anchor
		if found[i].list != nil {
			l.Lists.Append(l.Base+in.from+uint32(i), found[i].horizon, found[i].list)
		}
	}
	if l.Controls, err = in.controls(&old.Controls); err != nil {
		return nil, err
	}
	l.Link()
	return l, nil
}

// setHorizons records the horizons of lists in the previous layer.
func (in *integration) setHorizons(old *layer.Layer) {
	in.horizon = make([]uint32, int(old.Base)+int(in.from))
	for i := range in.horizon {
		in.horizon[i] = unknownBits
	}
	for i, ref := range old.Lists.Refs {
		in.horizon[ref] = math.Float32bits(old.Lists.Horizons[i])
	}
}

// horizonOf returns the horizon of the list of an older ref.
func (in *integration) horizonOf(ref uint32) (float32, error) {
	at := &in.horizon[ref]
	if bits := atomic.LoadUint32(at); bits != unknownBits {
		return math.Float32frombits(bits), nil
	}
	h := float32(math.Inf(-1)) // a row of the tail without a list is dead
	if b := in.v.st.base; ref < in.v.st.positions() {
		_, keys, err := b.g.Keyed(store.Row(ref), nil, nil)
		if err != nil {
			return 0, err
		}
		h = b.horizon(keys)
	}
	atomic.StoreUint32(at, math.Float32bits(h))
	return h, nil
}

// A foundList is the list found for a new row.
type foundList struct {
	list    []layer.Entry // nil for a dead row
	horizon float32
	anchor  uint32
}

// lists returns the lists of the new rows, and their entries in other lists.
func (in *integration) lists() ([]foundList, []layer.Offer, error) {
	n := int(in.v.snap.part.Len() - in.from)
	found := make([]foundList, n)
	each := make([][]layer.Offer, n)
	err := vectors.Ranges(in.threads, n, 16, func() func(from, to int) error {
		f := &finder{in: in}
		return func(from, to int) error {
			if err := in.ctx.Err(); err != nil {
				return err
			}
			for i := from; i < to; i++ {
				if err := f.find(in.from+uint32(i), &found[i]); err != nil {
					return err
				}
				each[i] = append([]layer.Offer(nil), f.offers...)
			}
			return nil
		}
	})
	var offers []layer.Offer
	for _, some := range each {
		offers = append(offers, some...)
	}
	return found, offers, err
}

// A finder finds the list of one row at a time.
type finder struct {
	in     *integration
	self   uint32
	base   uint32
	best   best
	met    int
	older  []keyed // older refs that were compared, dead ones too
	anchor layer.Entry
	offers []layer.Offer
	query  []float32
}

func (f *finder) find(row uint32, out *foundList) (err error) {
	v := f.in.v
	f.offers = f.offers[:0]
	if out.anchor = layer.NoRef; !v.snap.part.Live(row) {
		return nil
	}
	f.base = v.st.positions()
	f.self = f.base + row
	if f.query, err = v.st.vectorAt(v.snap, 0, row, f.query); err != nil {
		return err
	}
	if err := f.search(); err != nil {
		return err
	}
	out.list, out.horizon = sorted(f.best.all), layer.Inf
	if f.met > len(out.list) {
		out.horizon = out.list[len(out.list)-1].Key
	}
	out.anchor = f.anchor.To
	return nil
}

// sorted returns the refs in a heap as a list, never nil.
func sorted(all []keyed) []layer.Entry {
	list := make([]layer.Entry, 0, len(all))
	for _, e := range all {
		list = append(list, layer.Entry{To: e.row, Key: e.key})
	}
	list, _ = layer.Fold(list, layer.Inf, len(list), func(uint32) bool { return true })
	return list
}

// search meets rows near the query: by links, or all rows if links lead to too few.
func (f *finder) search() error {
	v := f.in.v
	w := v.walker()
	defer v.walkers.Put(w)
	q := Query{K: f.in.most + 1, Effort: linkEffort}
	f.begin(w)
	if v.snap.covered() > 0 {
		_, err := w.walk(f.query, &q)
		if err = errOf(err, f.take()); err != nil || f.met >= min(f.in.most, v.Len()-1) {
			return err
		}
		f.begin(w)
	}
	_, err := w.compare(f.query, &q)
	return errOf(err, f.take())
}

func errOf(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func (f *finder) begin(w *walker) {
	f.best, f.met, f.older = best{f.in.most, f.best.all[:0]}, 0, f.older[:0]
	f.anchor = layer.Entry{To: layer.NoRef, Key: layer.Inf}
	f.offers = f.offers[:0]
	w.seen = f.seen
}

// seen records a ref that was compared with the new row. Whether an older ref lives, and the horizon of its
// list, are scattered in memory: take looks them up for all refs together.
func (f *finder) seen(ref uint32, key float32) {
	switch {
	case ref < f.base+f.in.from:
		f.older = append(f.older, keyed{ref, key})
	case ref != f.self: // one of the new rows; only live ones are compared
		f.met++
		f.best.offer(ref, key)
	}
}

// take adds the older refs that live to the list of the new row, and the row to their lists.
func (f *finder) take() error {
	for _, e := range f.older {
		if !f.in.v.live(e.row) {
			continue
		}
		f.met++
		f.best.offer(e.row, e.key)
		if at := (layer.Entry{To: e.row, Key: e.key}); e.row < f.base && layer.Compare(at, f.anchor) < 0 {
			f.anchor = at
		}
		h, err := f.in.horizonOf(e.row)
		if err != nil {
			return err
		}
		if e.key <= h {
			f.offers = append(f.offers, layer.Offer{Ref: e.row, Entry: layer.Entry{To: f.self, Key: e.key}})
		}
	}
	return nil
}

// vectorOf returns the vector of a ref.
func (v *View) vectorOf(ref uint32, dst []float32) ([]float32, error) {
	if base := v.st.positions(); ref >= base {
		return v.st.vectorAt(v.snap, 0, ref-base, dst)
	}
	return v.st.vectorAt(v.snap, ref, tail.NoRow, dst)
}

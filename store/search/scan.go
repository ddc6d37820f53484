package search

import (
	"math"

	"github.com/knng/knng/store/internal/walk"
)

// scanChunk is the number of rows that are compared at a time.
const scanChunk = 1024

// scan answers the queries of some walkers by comparing them with every row that may be a result. They share
// the rows that are read.
func (s *Searcher) scan(ws ...*walker) {
	for _, w := range ws {
		w.scans++
		room, keep := w.q.K, walk.Entry(0)
		if room == 0 {
			keep = w.limit
		}
		w.found.Reset(room, keep)
	}
	if set := ws[0].q.Only; set != nil { // of one query, or the same set for all
		for from := 0; from < len(set.places); from += scanChunk {
			asker{s}.set(set.places[from:min(from+scanChunk, len(set.places))])
			for _, w := range ws {
				w.scanSome(set.places[from:min(from+scanChunk, len(set.places))])
			}
		}
		return
	}
	for from := 0; from < s.Len(); from += scanChunk {
		to := min(from+scanChunk, s.Len())
		asker{s}.ahead(to)
		for _, w := range ws {
			w.ids = w.ids[:0]
			for p := from; p < to; p++ {
				w.ids = append(w.ids, uint32(p))
			}
			w.scanSome(w.ids)
		}
	}
}

// scanSome compares places with the query. It may use w.ids, which may hold the places.
func (w *walker) scanSome(places []uint32) {
	s := w.s
	if w.q.filtered() || w.q.isHidden {
		kept := w.ids[:0]
		for _, p := range places {
			if s.admits(&w.q, p) {
				kept = append(kept, p)
			}
		}
		w.ids, places = kept, kept
	}
	w.target.keys(s, s.base, s.stride, s.links.norms, places, w.keys)
	w.evaluations += int64(len(places))
	if w.q.Seen != nil {
		w.tell(places)
	}
	worst := walk.Entry(math.MaxUint64)
	for i, p := range places {
		if i%64 == 0 {
			worst = w.found.Bound()
		}
		if e := walk.EntryOf(w.keys[i], s.order[p]); e < worst || e <= w.found.Keep {
			w.found.Offer(e)
		}
	}
}

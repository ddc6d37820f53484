package living

import (
	"slices"

	"github.com/knng/knng/store/living/internal/disk"
)

// Chunk has a DB integrate so many rows at a time.
func (o Options) Chunk(n int) *Options {
	o.chunk = n
	return &o
}

// Due has a compaction due for more than n rows that are dead or put.
func (o Options) Due(n int) *Options {
	o.due = n
	return &o
}

// On has a DB write through another file system.
func (o Options) On(fs func(disk.FS) disk.FS) *Options {
	o.fs = fs
	return &o
}

// MeetsLinksOf reports whether a search that begins in islands alone meets the last of the rows that one is linked to, which may
// be held out. Rows are those put since the base was built, by their numbers from 0.
func (v *View) MeetsLinksOf(row uint32, query []float32, held bool) bool {
	w, l := v.walker(), v.snap.layer
	if held {
		w.hidden = w.base + row
	}
	if err := w.set(query, 1, 1); err != nil {
		panic(err)
	}
	w.land(l)
	return w.met.Has(w.base + slices.Max(l.Links(w.base+row)))
}

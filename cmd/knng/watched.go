package main

import (
	"context"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// watched is a store whose passes tell how far they are, and stop when the
// command is interrupted.
type watched struct {
	*store.Store
	ctx    context.Context
	report func(builder.Event) // nil for none
	phase  string
	began  time.Time
}

// begin names what the next passes are for.
func (w *watched) begin(phase string) *watched {
	w.phase, w.began = phase, time.Now()
	return w
}

// EachKeyed is that of the store, watched.
func (w *watched) EachKeyed(fn func(store.Row, []uint32, []float32) error) error {
	defer w.end()
	return w.Store.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		if row%8192 == 0 {
			if err := w.ctx.Err(); err != nil {
				return err
			}
			w.tellAs(w.phase, int(row), w.Len())
		}
		return fn(row, neighbors, keys)
	})
}

func (w *watched) tellAs(phase string, done, total int) {
	if w.report != nil {
		w.report(builder.Event{Phase: phase, Done: int64(done), Total: int64(total), Unit: "rows", Elapsed: time.Since(w.began)})
	}
}

// end ends a pass, so that what is printed next does not stand behind a bar.
func (w *watched) end() {
	if w.report != nil {
		w.report(builder.Event{Phase: w.phase, Elapsed: time.Since(w.began), End: true})
	}
}

// interruptible is a source that reads no more when the command is interrupted.
type interruptible struct {
	vectors.Source
	ctx context.Context
}

func (s interruptible) ReadRows(first int, dst []byte) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return s.Source.ReadRows(first, dst)
}

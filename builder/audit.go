package builder

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// badRows is the finding of the audit, as recorded in the store.
type badRows struct {
	Rows     []uint32 `json:"rows"` // ascending input rows
	Why      string   `json:"why"`  // of the first
	Checksum string   `json:"checksum"`
	Repeated int      `json:"repeated"` // rows equal to an earlier one
}

// listed is which input rows get lists.
type listed struct {
	goodRows pages.Block[uint32] // of work.good
	copies.Groups
	bad badRows
}

// audit reads the input once: every value is looked at before anything is
// built on it. Its findings are recorded, so a resumed build does not read the
// input again, unless it has been written to.
func (r *run) audit() error {
	done, err := r.Draft.Load("audit", &r.bad)
	if err != nil {
		return err
	}
	if done {
		err = r.sameRows()
	} else {
		err = r.readAll()
	}
	if err != nil {
		return err
	}
	if len(r.bad.Rows) > 0 && r.opts.BadRows == Reject {
		return r.reject()
	}
	if err := r.separate(); err != nil {
		return err
	}
	if len(r.Good) == 0 {
		return fmt.Errorf("%w: all %d, the first: %s; none is left to build a graph of", ErrBadRows, len(r.bad.Rows), r.bad.Why)
	}
	if !done {
		return r.Draft.Record("audit", &r.bad)
	}
	return nil
}

func (r *run) readAll() error {
	p := r.Begin("audit", "rows", int64(r.src.Len()))
	hashes, err := pages.Take[uint64](&r.Ledger, r.src.Len())
	if err != nil {
		return err
	}
	defer hashes.Free()
	report, err := vectors.Audit(r.src, vectors.AuditOptions{Context: r.Ctx, Progress: p.Add, Threads: r.opts.Threads, Hashes: hashes.Slice})
	if err != nil {
		return err
	}
	r.bad = badRows{Checksum: checksumText(report.Checksum), Repeated: report.Duplicates}
	if r.opts.keysOfAnyLength() {
		report.TooLarge = nil
	}
	if r.opts.Distance != nil || !r.opts.Metric.ConstantIsBad() {
		report.Constant = nil
	}
	r.bad.collect(report, r.opts.zeroIsBad())
	p.End("%d rows of %d %s, %d repeat an earlier row", r.src.Len(), r.src.Dim(), r.src.Type(), report.Duplicates)
	return nil
}

// collect merges the lists of rows that cannot be in a graph.
func (b *badRows) collect(report *vectors.AuditReport, zeroIsBad bool) {
	add := func(rows []uint32, why string) {
		if len(rows) > 0 && (len(b.Rows) == 0 || rows[0] < slices.Min(b.Rows)) {
			b.Why = why
		}
		b.Rows = append(b.Rows, rows...)
	}
	add(report.NonFinite, "it has a NaN or an infinity")
	add(report.TooLarge, "its squared norm is beyond a quarter of the largest float32, so distances would overflow")
	if zeroIsBad {
		add(report.Zero, "it is all zeros, which has no cosine")
	}
	add(report.Constant, "its elements are all equal, which have no correlation")
	slices.Sort(b.Rows)
}

// reject makes the error that names the bad rows.
func (r *run) reject() error {
	shown := r.bad.Rows[:min(len(r.bad.Rows), 5)]
	return fmt.Errorf("%w: %d of %d rows, first row %d: %s (rows %v); fix them, or drop or isolate them",
		ErrBadRows, len(r.bad.Rows), r.src.Len(), r.bad.Rows[0], r.bad.Why, shown)
}

// separate lists the good rows. Dropped rows leave the input altogether: the
// graph is that of the rows that remain, numbered anew.
func (r *run) separate() (err error) {
	bad := r.bad.Rows
	if r.goodRows, err = pages.Take[uint32](&r.Ledger, r.src.Len()-len(bad)); err != nil {
		return err
	}
	good := r.goodRows.Slice[:0]
	for row := range uint32(r.src.Len()) {
		if len(bad) > 0 && bad[0] == row {
			bad = bad[1:]
			continue
		}
		good = append(good, row)
	}
	if r.opts.BadRows == Drop && len(r.bad.Rows) > 0 {
		r.src = vectors.NewInput(&withoutDropped{r.src, r.bad.Rows})
		for i := range good {
			good[i] = uint32(i)
		}
	}
	r.Good = good
	return nil
}

// keysOfAnyLength reports whether keys do not grow with rows: under cosine, whose norms are
// float64.
func (o *Options) keysOfAnyLength() bool { return o.Distance == nil && o.Metric == distance.Cosine }

// zeroIsBad reports whether a row of zeros has no distances.
func (o *Options) zeroIsBad() bool { return o.Distance == nil && o.Metric.ZeroIsBad() }

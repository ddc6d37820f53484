package audit

import (
	"fmt"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
)

// Record is the name of the findings in the store.
const Record = "audit"

// Audit is the audit of a build: its findings, and its good rows.
type Audit struct {
	*build.Build
	Options
	Bad
	good offheap.Block[uint32]
}

// Options say which rows are bad, and how they are treated.
type Options struct {
	Rules
	Refuse    bool // bad rows end the build
	Drop      bool // bad rows leave the input, and the others are renumbered
	Reference bool // the rows will be read again
}

// Free frees memory.
func (a *Audit) Free() { a.good.Free() }

// Pass reads the input once, lists the good rows, and removes dropped ones from the input. It records its
// findings, so a resumed build does not read the input again unless it was written to.
func (a *Audit) Pass() error {
	total := a.Source.Len()
	done, err := a.Draft.Load(Record, &a.Bad)
	if err != nil {
		return err
	}
	if done {
		err = a.sameRows()
	} else {
		err = a.readAll()
	}
	if err != nil {
		return err
	}
	if len(a.Bad.Rows) > 0 && a.Refuse {
		return a.Reject(total, a.Source.Files)
	}
	if err = a.separate(a.Drop); err != nil {
		return err
	}
	if len(a.Good) == 0 {
		return fmt.Errorf("%w: all %d, the first: %s; none is left to build a graph of", ErrBadRows, total, a.Why)
	}
	if !done {
		return a.Draft.Record(Record, &a.Bad)
	}
	return nil
}

// Every lists all rows as good, for an input that was not read yet.
func (a *Audit) Every() error { return a.separate(false) }

// OfAll is the checksum of the rows of the input, or "" where some of those read left it.
func (a *Audit) OfAll() string {
	if len(a.Dropped()) > 0 {
		return ""
	}
	return a.Checksum
}

// Dropped lists the rows that left the input, ascending.
func (a *Audit) Dropped() []uint32 {
	if !a.Drop {
		return nil
	}
	return a.Bad.Rows
}

func (a *Audit) readAll() error {
	src := a.Source
	p := a.Begin("audit", "rows", int64(src.Len()))
	hashes, err := offheap.Take[uint64](&a.Ledger, src.Len())
	if err != nil {
		return err
	}
	defer hashes.Free()
	report, err := vectors.Audit(src, vectors.AuditOptions{Context: a.Ctx, Progress: p.Add, Threads: a.Job.Threads, Hashes: hashes.Slice})
	if err != nil {
		return err
	}
	a.Bad = Of(report, a.Rules)
	p.End("%d rows of %d %s, %d repeat an earlier row", src.Len(), src.Dim(), src.Type(), report.Duplicates)
	return nil
}

// separate lists the good rows. Dropped rows leave the input altogether: the graph is that of the remaining
// rows, renumbered.
func (a *Audit) separate(drop bool) (err error) {
	src, bad := a.Source, a.Bad.Rows
	if a.good, err = offheap.Take[uint32](&a.Ledger, src.Len()-len(bad)); err != nil {
		return err
	}
	good := a.good.Slice[:0]
	for row := range uint32(src.Len()) {
		if len(bad) > 0 && bad[0] == row {
			bad = bad[1:]
			continue
		}
		good = append(good, row)
	}
	if drop && len(a.Bad.Rows) > 0 {
		a.Source = vectors.NewInput(&Without{src, a.Bad.Rows})
		for i := range good {
			good[i] = uint32(i)
		}
	}
	a.Good = good
	return nil
}

package audit

import (
	"fmt"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
)

// Record is the name of the findings in the store.
const Record = "audit"

// Audit is the findings of a build, and its good rows.
type Audit struct {
	Bad
	good offheap.Block[uint32]
}

// Options say which rows are bad, and how they are treated.
type Options struct {
	Rules
	Reject    bool // bad rows end the build
	Drop      bool // bad rows leave the input, and the others are numbered anew
	Reference bool // the rows will be read again
}

// Free gives back memory.
func (a *Audit) Free() { a.good.Free() }

// Pass reads the input once, lists the good rows, and leaves dropped ones out of the input. Its
// findings are recorded, so a resumed build does not read the input again, unless it has been
// written to.
func (a *Audit) Pass(b *build.Build, o Options) error {
	total := b.Source.Len()
	done, err := b.Draft.Load(Record, &a.Bad)
	if err != nil {
		return err
	}
	if done {
		err = a.sameRows(b, o.Reference)
	} else {
		err = a.readAll(b, o.Rules)
	}
	if err != nil {
		return err
	}
	if len(a.Rows) > 0 && o.Reject {
		return a.Reject(total)
	}
	if err = a.separate(b, o.Drop); err != nil {
		return err
	}
	if len(b.Good) == 0 {
		return fmt.Errorf("%w: all %d, the first: %s; none is left to build a graph of", ErrBadRows, total, a.Why)
	}
	if !done {
		return b.Draft.Record(Record, &a.Bad)
	}
	return nil
}

// Every lists all rows as good, those of an input that was not read yet.
func (a *Audit) Every(b *build.Build) error { return a.separate(b, false) }

func (a *Audit) readAll(b *build.Build, rules Rules) error {
	src := b.Source
	p := b.Begin("audit", "rows", int64(src.Len()))
	hashes, err := offheap.Take[uint64](&b.Ledger, src.Len())
	if err != nil {
		return err
	}
	defer hashes.Free()
	report, err := vectors.Audit(src, vectors.AuditOptions{Context: b.Ctx, Progress: p.Add, Threads: b.Job.Threads, Hashes: hashes.Slice})
	if err != nil {
		return err
	}
	a.Bad = Of(report, rules)
	p.End("%d rows of %d %s, %d repeat an earlier row", src.Len(), src.Dim(), src.Type(), report.Duplicates)
	return nil
}

// separate lists the good rows. Dropped rows leave the input altogether: the graph is that of the
// rows that remain, numbered anew.
func (a *Audit) separate(b *build.Build, drop bool) (err error) {
	src, bad := b.Source, a.Rows
	if a.good, err = offheap.Take[uint32](&b.Ledger, src.Len()-len(bad)); err != nil {
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
	if drop && len(a.Rows) > 0 {
		b.Source = vectors.NewInput(&Without{src, a.Rows})
		for i := range good {
			good[i] = uint32(i)
		}
	}
	b.Good = good
	return nil
}

package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// ErrBadRows is builder.ErrBadRows.
var ErrBadRows = errors.New("builder: bad rows")

// RowsError is builder.BadRowsError.
type RowsError struct {
	Rows []uint32 // by their number in the input, ascending
	Why  string   // the first is bad
	text string
}

func (e *RowsError) Error() string { return e.text }

// Unwrap returns ErrBadRows.
func (e *RowsError) Unwrap() error { return ErrBadRows }

// Treatments of bad rows.
const (
	Reject  = "error"
	Drop    = "drop"
	Isolate = "isolate"
)

// Bad is the result of an audit, as recorded in the store.
type Bad struct {
	Rows     []uint32 `json:"rows"` // ascending input rows
	Why      string   `json:"why"`  // of the first
	Checksum string   `json:"checksum"`
	Repeated int      `json:"repeated"` // rows equal to an earlier one
}

// Rules say which finite rows have no distances.
type Rules struct {
	Zero      bool // rows of zeros have none
	Constant  bool // rows of equal elements have none
	AnyLength bool // keys do not grow with rows, so none is too large
}

// RulesOf returns the rules of a metric.
func RulesOf(m distance.Metric) Rules {
	return Rules{Zero: m.ZeroIsBad(), Constant: m.ConstantIsBad(), AnyLength: m == distance.Cosine}
}

// Of collects the rows of a report that cannot be in a graph.
func Of(report *vectors.AuditReport, rules Rules) Bad {
	b := Bad{Checksum: Text(report.Checksum), Repeated: report.Duplicates}
	b.add(report.NonFinite, "it has a NaN or an infinity")
	if !rules.AnyLength {
		b.add(report.TooLarge, "its squared norm is beyond a quarter of the largest float32, so distances would overflow")
	}
	if rules.Zero {
		b.add(report.Zero, "it is all zeros, which has no cosine")
	}
	if rules.Constant {
		b.add(report.Constant, "its elements are all equal, which have no correlation (float64 is read as float32: of rows that this merges, subtract the means first)")
	}
	slices.Sort(b.Rows)
	return b
}

func (b *Bad) add(rows []uint32, why string) {
	if len(rows) > 0 && (len(b.Rows) == 0 || rows[0] < slices.Min(b.Rows)) {
		b.Why = why
	}
	b.Rows = append(b.Rows, rows...)
}

// Reject returns an error that names the bad rows of so many, the first by its file.
func (b *Bad) Reject(rows int, files []vectors.File) error {
	others := ""
	if some := b.Rows[:min(len(b.Rows), 5)]; len(some) > 1 {
		others = fmt.Sprintf(" (rows %s", strings.Trim(fmt.Sprint(some), "[]"))
		if len(some) < len(b.Rows) {
			others += " ..."
		}
		others += ", counted from 0)"
	}
	return &RowsError{b.Rows, b.Why, fmt.Sprintf("%v: %d of %d rows, first %s: %s%s; fix them, or drop or isolate them",
		ErrBadRows, len(b.Rows), rows, vectors.RowName(files, int(b.Rows[0])), b.Why, others)}
}

// Text returns a checksum in the form in which it is recorded.
func Text(sum uint64) string { return fmt.Sprintf("%016x", sum) }

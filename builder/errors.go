package builder

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/choose"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/limits"
)

// Errors that a program can test with errors.Is. The store's ErrMismatch,
// ErrLocked and ErrNotStore come through Build as well.
var (
	// ErrBadRows: the input has rows that have no distances (type BadRows says which), and
	// Options.BadRows is Reject, or no other rows are there. Nothing was built, and nothing binds
	// the directory: it can be built in with another Options.BadRows.
	ErrBadRows = audit.ErrBadRows
	// ErrMemory: the memory limit is below the need of this input. Nothing is
	// lost: the build can be continued with a larger limit, or begun where there was nothing
	// worth keeping, whose folder is gone then. It is store.ErrMemory too.
	ErrMemory = limits.ErrMemory
	// ErrMethod: Options.Method, for rows of more dimensions than the method takes. Nothing was begun.
	ErrMethod = choose.ErrMethod
	// ErrReference: Options.Reference, for rows that are not one file that can be mapped.
	// Nothing was begun.
	ErrReference = input.ErrReference
	// ErrSpace: the disk is full, or has less room than the next phase will write; the
	// message says how much is missing and where. Committed work is kept, and the
	// build can be continued when there is room. It is store.ErrSpace too, which says what such
	// a build leaves in the memory of the process.
	ErrSpace = limits.ErrSpace
)

// BadRowsError is the ErrBadRows of a build that leaves no row out.
type BadRowsError = audit.RowsError

// OptionError says that a build takes other values of an option than the one given.
type OptionError struct {
	Option string // the field of Options, such as "K" or "Paper.Visits"
	Value  any
	Want   string // the values that a build takes
}

// Error names the option by its field. A text is shown in quotes.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%s is %s, want %s", e.Option, e.Shown(), e.Want)
}

// Shown is the value as errors show it.
func (e *OptionError) Shown() string {
	if v := reflect.ValueOf(e.Value); v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(e.Value)
}

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
	// ErrBadRows: some rows have no distances (type BadRows says which) and Options.BadRows is
	// Reject, or no good row is left. Nothing was built; the directory can be used again with
	// another Options.BadRows.
	ErrBadRows = audit.ErrBadRows
	// ErrMemory: the memory limit is too low for this input. Nothing is lost: call Build again with
	// a larger limit. A folder that held nothing worth keeping is removed. It is store.ErrMemory too.
	ErrMemory = limits.ErrMemory
	// ErrMethod: the rows have more dimensions than Options.Method takes. Nothing was begun.
	ErrMethod = choose.ErrMethod
	// ErrReference: Options.Reference is set, but the rows are not one file that can be mapped.
	// Nothing was begun.
	ErrReference = input.ErrReference
	// ErrSpace: the disk is full, or has less room than the next phase will write; the message says
	// how much is missing and where. Committed work is kept; call Build again when there is room.
	// It is store.ErrSpace too; see there for the memory that stays allocated in the process.
	ErrSpace = limits.ErrSpace
)

// BadRowsError lists the bad rows of a build with BadRows Reject. It is an ErrBadRows.
type BadRowsError = audit.RowsError

// OptionError reports an option whose value is not allowed.
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

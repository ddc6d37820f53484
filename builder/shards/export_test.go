package shards

import (
	"path"
	"path/filepath"

	"github.com/knng/knng/builder/internal/parts"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/solve"
)

// SmallGroups sets the bytes of groups, and of stripes of the parts method by one machine, has tasks find cells
// for few leaders, and returns a function that puts all back.
func SmallGroups(group int64, stripe int) (restore func()) {
	beforeGroup, beforeStripe, beforeLead := solve.GroupBytes, parts.StripeBytes, leadRange
	solve.GroupBytes, parts.StripeBytes, leadRange = group, stripe, 50
	return func() { solve.GroupBytes, parts.StripeBytes, leadRange = beforeGroup, beforeStripe, beforeLead }
}

// PieceOf is the file that a task makes.
func PieceOf(run string, s *Run, t Task) string {
	of, err := kinds[t.Stage].parts(s, t.Division)
	if err != nil {
		return filepath.Join(run, "none")
	}
	return filepath.Join(run, filepath.FromSlash(pieceName(t, of)))
}

// SealsLate has the first look for the end of a run find none, in processes opened until done.
func SealsLate() (done func()) {
	before := folderAt
	folderAt = func(folder string) pieces.Folder { return &late{Folder: before(folder)} }
	return func() { folderAt = before }
}

type late struct {
	pieces.Folder
	looked bool
}

func (l *late) List(name string) ([]string, error) {
	if path.Base(name) == "seal" && !l.looked {
		l.looked = true
		return nil, nil
	}
	return l.Folder.List(name)
}

package audit

import (
	"context"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// The manifest has a sample of every input file and its modification time. If the time differs, the file may
// differ outside the sample, so all rows are read and compared with the audit's checksum.

// Unchanged returns an error if files that were written to since the manifest was made have other rows than
// the audited ones.
func Unchanged(ctx context.Context, dir string, m *store.Manifest, src *vectors.Input, audited string, threads int) error {
	if !written(m.Files, src.Files) {
		return nil
	}
	return same(ctx, dir, src, audited, threads)
}

// sameRows compares the input of a resumed build with the audit. Rows that will be read again are all
// checked: a file may have been changed and given its old time.
func (a *Audit) sameRows() error {
	var places int
	ordered, err := a.Draft.Load("order", &places)
	if err != nil {
		return err
	}
	if len(a.Source.Files) > 0 && (!ordered || a.Reference) {
		return same(a.Ctx, a.Draft.Dir(), a.Source, a.Checksum, a.Job.Threads)
	}
	return a.unchanged()
}

// unchanged is Unchanged for the build's own files.
func (a *Audit) unchanged() error {
	m := a.Draft.Manifest()
	return Unchanged(a.Ctx, a.Draft.Dir(), &m, a.Source, a.Checksum, a.Job.Threads)
}

// Sealing compares the input of a build that resumes with its sealing with the audit.
func (a *Audit) Sealing() error {
	if _, err := a.Draft.Load(Record, &a.Bad); err != nil {
		return err
	}
	return a.unchanged()
}

// same returns an error if rows differ from the audited ones.
func same(ctx context.Context, dir string, src *vectors.Input, audited string, threads int) error {
	if audited == "" {
		return nil
	}
	found, err := vectors.Checksum(src, vectors.AuditOptions{Context: ctx, Threads: threads})
	if err != nil {
		return err
	}
	return Compare(dir, "checksum of the input's rows", audited, found)
}

// Compare returns an error where a checksum, of some name, is not that of the rows that were audited.
func Compare(dir, name, audited string, found uint64) error {
	if sum := Text(found); sum != audited {
		return &store.MismatchError{Dir: dir, Differences: []store.Difference{{Name: name, Have: audited, Want: sum}}}
	}
	return nil
}

// written reports whether any file has another modification time. Streams have none, and were hashed as a
// whole.
func written(then, now []vectors.File) bool {
	for i := range min(len(then), len(now)) {
		if now[i].Path != "-" && then[i].ModTime != now[i].ModTime {
			return true
		}
	}
	return false
}

// Finished loads the result of the finished graph in dir, if src has the audited rows.
func Finished(ctx context.Context, dir string, src *vectors.Input, threads int, result any) error {
	s, err := store.Open(dir, &store.Options{AsBuilt: true})
	if err != nil {
		return err
	}
	defer s.Close()
	var found Bad
	if _, err := s.Record(Record, &found); err != nil {
		return err
	}
	if _, err := s.Record("result", result); err != nil {
		return err
	}
	m := s.Info().Manifest
	if err := Unchanged(ctx, dir, &m, src, found.Checksum, threads); err != nil {
		return err
	}
	if len(src.Files) != 1 {
		return nil
	}
	return s.NameAnew(src.Files[0].Path) // a referenced file may have been given under another name
}

package builder

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// The input of a build: the manifest has a sample of every file and its modification time.
// Where the time is another, the file may differ where the sample does not look, and all rows
// are read and compared with the audit's checksum.

// unchanged returns an error where files that were written to since the manifest was made
// have other rows than were audited.
func unchanged(ctx context.Context, dir string, m *store.Manifest, src *vectors.Input, audited string, threads int) error {
	if !written(m.Files, src.Files) {
		return nil
	}
	return same(ctx, dir, src, audited, threads)
}

// sameRows compares the input of a build that goes on with the audit. Rows that
// will be read again are all looked at: a file may have been changed and given its old time.
func (r *run) sameRows() error {
	var places int
	ordered, err := r.Draft.Load("order", &places)
	if err != nil {
		return err
	}
	if len(r.src.Files) > 0 && (!ordered || r.opts.Reference) {
		return same(r.Ctx, r.Draft.Dir(), r.src, r.bad.Checksum, r.opts.Threads)
	}
	m := r.Draft.Manifest()
	return unchanged(r.Ctx, r.Draft.Dir(), &m, r.src, r.bad.Checksum, r.opts.Threads)
}

// same returns an error where rows are not those that were audited.
func same(ctx context.Context, dir string, src *vectors.Input, audited string, threads int) error {
	if audited == "" {
		return nil
	}
	found, err := vectors.Checksum(src, vectors.AuditOptions{Context: ctx, Threads: threads})
	if err != nil {
		return err
	}
	if sum := checksumText(found); sum != audited {
		return &store.MismatchError{Dir: dir, Differences: []store.Difference{{Name: "checksum of the input's rows", Have: audited, Want: sum}}}
	}
	return nil
}

func checksumText(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// written reports whether any file has another modification time. Streams, of which all
// was hashed, have none.
func written(then, now []vectors.File) bool {
	for i := range min(len(then), len(now)) {
		if now[i].Path != "-" && then[i].ModTime != now[i].ModTime {
			return true
		}
	}
	return false
}

// finished is the result of Build where dir holds the finished graph.
func finished(ctx context.Context, dir string, src *vectors.Input, threads int) (*Result, error) {
	s, err := store.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	result, audited := new(Result), badRows{}
	if _, err := s.Record("audit", &audited); err != nil {
		return nil, err
	}
	if _, err := s.Record("result", result); err != nil {
		return nil, err
	}
	m := s.Info().Manifest
	if err := unchanged(ctx, dir, &m, src, audited.Checksum, threads); err != nil {
		return nil, err
	}
	return result, referenceAnew(s, src)
}

// referenceAnew notes where a referenced file is that was given under another name.
func referenceAnew(s *store.Store, src *vectors.Input) error {
	if len(src.Files) != 1 {
		return nil
	}
	return s.NameAnew(src.Files[0].Path)
}

// inputHash is a hash of all rows of an input that has no files.
func inputHash(ctx context.Context, src vectors.Source) (string, error) {
	size := src.Dim() * src.Type().Size()
	rows := max(1, (1<<20)/size)
	h, buf := xxhash.New(), make([]byte, min(rows, src.Len())*size)
	for from := 0; from < src.Len(); from += rows {
		some := buf[:min(rows, src.Len()-from)*size]
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := src.ReadRows(from, some); err != nil {
			return "", err
		}
		h.Write(some)
	}
	return strconv.FormatUint(h.Sum64(), 16), nil
}

package input

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/store"
)

// IDs are the external ids of all rows of an input: lines of a file, or a sequence.
type IDs struct {
	Path  string           // of the file
	Name  string           // the file in errors; "": its path
	Names iter.Seq[string] // in place of a file
}

// Given reports whether rows have ids.
func (ids *IDs) Given() bool { return ids.Path != "" || ids.Names != nil }

// open opens the ids as a file of a line each, and returns its name for errors.
func (ids *IDs) open() (io.ReadCloser, string, error) {
	if ids.Names != nil {
		return newNameReader(ids.Names), "Options.Names", nil
	}
	f, err := os.Open(ids.Path)
	if err != nil {
		return nil, "", fmt.Errorf("builder: ids: %w", err)
	}
	return f, cmp.Or(ids.Name, ids.Path), nil
}

// Hash names the contents of the ids: once a build has begun with them, others are refused. It
// checks that every row has one, but where rows will be dropped, whose lines may be anything.
func (ids *IDs) Hash(rows int, dropped bool) (string, error) {
	if !ids.Given() {
		return "off", nil
	}
	f, name, err := ids.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := xxhash.New()
	if dropped {
		_, err = io.Copy(h, f)
	} else {
		err = store.CheckIDs(io.TeeReader(f, h), name, rows)
	}
	if err != nil {
		return "", fmt.Errorf("builder: ids: %w", err)
	}
	return strconv.FormatUint(h.Sum64(), 16), nil
}

// Commit stores the ids, without those of dropped rows.
func (ids *IDs) Commit(b *build.Build, rows int, dropped []uint32) error {
	if !ids.Given() {
		return nil
	}
	done, err := b.Draft.IDsDone()
	if err != nil || done {
		return err
	}
	p := b.Begin("ids", "rows", int64(rows))
	defer p.End("")
	lines, name, err := ids.open()
	if err != nil {
		return err
	}
	defer lines.Close()
	return b.Draft.CommitIDs(b.Ctx, lines, name, rows, dropped)
}

// A nameReader gives ids as a file of a line each.
type nameReader struct {
	next func() (string, bool)
	stop func()
	row  int
	line string // the rest of the id that is being read
}

func newNameReader(names iter.Seq[string]) *nameReader {
	next, stop := iter.Pull(names)
	return &nameReader{next: next, stop: stop}
}

func (r *nameReader) Close() error {
	r.stop()
	return nil
}

// Read gives at most one id. An id that a line does not hold as it is, is an error.
func (r *nameReader) Read(p []byte) (int, error) {
	if r.line == "" {
		id, ok := r.next()
		switch {
		case !ok:
			return 0, io.EOF
		case strings.ContainsRune(id, '\n'), strings.HasSuffix(id, "\r"), r.row == 0 && strings.HasPrefix(id, "\ufeff"):
			return 0, fmt.Errorf("%w: row %d: id %q has a line feed, ends with a carriage return, or begins with a byte order mark", store.ErrIDs, r.row, id)
		}
		r.row++
		r.line = id + "\n"
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

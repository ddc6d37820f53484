package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// IDs are the external ids of all rows of an input: lines of a file, or a sequence.
type IDs struct {
	Path  string           // of the file
	Name  string           // the file in errors; "": its path
	Names iter.Seq[string] // instead of a file
}

// Given reports whether rows have ids.
func (ids *IDs) Given() bool { return ids.Path != "" || ids.Names != nil }

// open opens the ids as a file with one per line, and returns its name for errors.
func (ids *IDs) open() (io.ReadCloser, string, error) {
	if ids.Names != nil {
		return newNameReader(ids.Names), "Options.Names", nil
	}
	name := cmp.Or(ids.Name, ids.Path)
	if info, err := os.Stat(ids.Path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, "", vectors.Misused(fmt.Errorf("builder: ids: %s is no regular file: ids are read twice, which a pipe cannot be", name))
	}
	f, err := os.Open(ids.Path)
	if err != nil {
		return nil, "", fmt.Errorf("builder: ids: %w", err)
	}
	return f, name, nil
}

// Hash returns a name for the contents of the ids: a build that began with them refuses others. It checks
// that every row has one, unless rows will be dropped, whose lines may be anything.
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
	return ids.Store(b.Ctx, b.Draft, rows, dropped)
}

// Store stores the ids in a draft, without those of dropped rows. If the draft began with other ids, which
// its manifest names by their Hash, it returns vectors.ErrUsage.
func (ids *IDs) Store(ctx context.Context, draft *store.Draft, rows int, dropped []uint32) error {
	lines, name, err := ids.open()
	if err != nil {
		return err
	}
	defer lines.Close()
	manifest := draft.Manifest()
	was, named := manifest.Option("ids")
	known := &unchanged{r: lines, hash: xxhash.New(), was: was, named: named}
	err = draft.CommitIDs(ctx, known, name, rows, dropped)
	if errors.Is(err, errChanged) {
		return vectors.Misused(fmt.Errorf("builder: ids: %s has changed since the build was begun: its lines hash to %s, they did to %s", name, known.is(), was))
	}
	return err
}

// errChanged says that a reader gave other bytes than before.
var errChanged = errors.New("it has changed")

// unchanged is a reader that ends with errChanged if its bytes have another hash than before.
type unchanged struct {
	r     io.Reader
	hash  *xxhash.Digest
	was   string
	named bool // was is known
}

// is names the bytes that were read.
func (u *unchanged) is() string { return strconv.FormatUint(u.hash.Sum64(), 16) }

func (u *unchanged) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.hash.Write(p[:n])
	if errors.Is(err, io.EOF) && u.named && u.is() != u.was {
		err = errChanged
	}
	return n, err
}

// A nameReader gives ids as a file with one per line.
type nameReader struct {
	next func() (string, bool)
	stop func()
	row  int
	line string // the rest of the current id
}

func newNameReader(names iter.Seq[string]) *nameReader {
	next, stop := iter.Pull(names)
	return &nameReader{next: next, stop: stop}
}

func (r *nameReader) Close() error {
	r.stop()
	return nil
}

// Read gives at most one id. An id that cannot be a line is an error.
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

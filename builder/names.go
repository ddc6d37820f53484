package builder

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
)

// named reports whether rows have external ids.
func (o *Options) named() bool { return o.IDs != "" || o.Names != nil }

// openIDs opens the ids as a file of a line each, and returns its name for errors.
func (o *Options) openIDs() (io.ReadCloser, string, error) {
	if o.Names != nil {
		return newNameReader(o.Names), "Options.Names", nil
	}
	f, err := os.Open(o.IDs)
	if err != nil {
		return nil, "", fmt.Errorf("builder: ids: %w", err)
	}
	return f, o.idsName(), nil
}

// idsName is how errors call the file of ids.
func (o *Options) idsName() string { return cmp.Or(o.IDsName, o.IDs) }

// idsOf names the contents of the ids, which are looked through first: once a build has
// begun with them, others are refused.
func idsOf(o *Options, rows int) (string, error) {
	if !o.named() {
		return "off", nil
	}
	f, name, err := o.openIDs()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := xxhash.New()
	if o.BadRows != Drop {
		err = store.CheckIDs(io.TeeReader(f, h), name, rows)
	} else { // the lines of rows that will be dropped may be anything
		_, err = io.Copy(h, f)
	}
	if err != nil {
		return "", fmt.Errorf("builder: ids: %w", err)
	}
	return strconv.FormatUint(h.Sum64(), 16), nil
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
		case strings.ContainsAny(id, "\r\n"), r.row == 0 && strings.HasPrefix(id, "\ufeff"):
			return 0, fmt.Errorf("row %d: id %q has a line break or begins with a byte order mark", r.row, id)
		}
		r.row++
		r.line = id + "\n"
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/view"
	"github.com/knng/knng/vectors"
)

// errNotVerbatim says that a value is not in Pebble's tables as it was set.
var errNotVerbatim = errors.New("store: the tables do not hold the lists as they are, so there is no view of them")

// BuildView makes the view and the catalog of the finished store in dir (see the package
// comment), if they were deleted or an older knng built the store. Lookups in them need no
// database. It reads the lists once and takes at most 17 MiB. The bytes are a function of
// the store. Cancelling ctx stops it, and leaves the files as they were. Errors: those of
// Open; ErrLocked; ErrSpace; one for a store whose tables Pebble has compressed.
func BuildView(ctx context.Context, dir string) (err error) {
	defer caught(&err)
	s, err := openWith(dir, &Options{AsBuilt: true}, openWithoutView) // it may be damaged
	if err != nil {
		return err
	}
	defer s.Close()
	lock, err := lockDir(ctx, s.home.Dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := Room("the view and the catalog", Need{dir, 5 * int64(s.shape.Rows)}); err != nil {
		return err
	}
	files := pebblefs.Of(s.home.Dir)
	if err := s.engine.publishView(ctx, files, s.home, s.lists.Layout); err != nil {
		return err
	}
	catalog, err := s.engine.draftCatalog(ctx, files, s.home.Path(catalogName))
	if err != nil {
		return err
	}
	defer catalog.Abort()
	return catalog.end(s.home.Sum)
}

// publishView writes the view of the tables in a folder there, through fs. If it fails,
// the old view stays.
func (e *engine) publishView(ctx context.Context, fs vfs.FS, home sealed.Opener, lists block.Layout) error {
	p, err := newPublication(fs, home.Path(viewName))
	if err != nil {
		return err
	}
	defer p.Abort()
	w := bufio.NewWriterSize(p, min(1<<20, 4096+view.EntryBytes*lists.Blocks()))
	if err := e.writeView(ctx, w, home, lists); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return p.Commit()
}

// makeView publishes the view of a store that is about to be sealed. It can do
// without one.
func (e *engine) makeView(ctx context.Context, fs vfs.FS, home sealed.Opener, lists block.Layout) error {
	err := e.publishView(ctx, fs, home, lists)
	if errors.Is(err, errNotVerbatim) {
		return fs.RemoveAll(home.Path(viewName)) // of a seal that a crash cut short
	}
	return err
}

// writeView goes over the values under a tag, as Pebble gives them, and writes
// where in the tables each is found.
func (e *engine) writeView(ctx context.Context, w io.Writer, home sealed.Opener, lists block.Layout) (err error) {
	finder, err := e.finder(home, lists.Tag)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finder.close()) }()
	if _, err := w.Write(view.Header(lists, finder.listed())); err != nil {
		return err
	}
	b, entry := 0, []byte(nil)
	err = e.scan([]byte{lists.Tag}, func(key, value []byte) error {
		if want := key64(nil, lists.Tag, uint64(b)); string(want) != string(key) {
			return corrupt(key, fmt.Errorf("want block %d", b))
		}
		place, err := finder.find(key, value)
		if err != nil {
			return err
		}
		entry = view.AppendEntry(entry[:0], b, place, value)
		if b++; b%(rowsPerLook/block.Rows) == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, err = w.Write(entry)
		return err
	})
	if err == nil && b != lists.Blocks() {
		err = fmt.Errorf("%w: %d blocks, want %d", ErrCorrupt, b, lists.Blocks())
	}
	return err
}

// A finder finds values, in the order of their keys, in the files of the tables
// that hold them.
type finder struct {
	tables []foundTable
	at     int // table of the value before
	offset int // in it, behind that value
}

// tableFile is the name that Pebble gives a table.
func tableFile[N ~uint64](number N) string { return fmt.Sprintf("%06d.sst", uint64(number)) }

type foundTable struct {
	name              string
	smallest, largest []byte
	file              *vectors.MappedFile
}

// listed returns the tables as the header of a view lists them.
func (f *finder) listed() (tables []view.Table) {
	for _, t := range f.tables {
		tables = append(tables, view.Table{Name: t.name, Size: uint64(len(t.file.Bytes()))})
	}
	return tables
}

// finder opens the tables that hold keys of a tag.
func (e *engine) finder(home sealed.Opener, tag byte) (*finder, error) {
	levels, err := e.db.SSTables()
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	f := new(finder)
	for _, level := range levels {
		for _, t := range level {
			smallest, largest := t.Smallest.UserKey, t.Largest.UserKey
			if len(smallest) == 0 || len(largest) == 0 || smallest[0] > tag || largest[0] < tag {
				continue
			}
			f.tables = append(f.tables, foundTable{tableFile(t.BackingSSTNum), smallest, largest, nil})
		}
	}
	slices.SortFunc(f.tables, func(a, b foundTable) int { return bytes.Compare(a.smallest, b.smallest) })
	for i := range f.tables {
		t := &f.tables[i]
		if t.file, err = sealed.Map(home, graphName+"/"+t.name); err != nil {
			return nil, errors.Join(err, f.close())
		}
		t.file.Advise(vectors.Sequential)
	}
	return f, nil
}

// betweenValues bounds the bytes that Pebble writes between two values: the rest of a block
// and the keys of the next, some kilobytes.
const betweenValues = 64 << 10

// find returns the place of a value.
func (f *finder) find(key, value []byte) (place uint64, err error) {
	for f.at < len(f.tables) && bytes.Compare(key, f.tables[f.at].largest) > 0 {
		f.at, f.offset = f.at+1, 0
	}
	if f.at == len(f.tables) {
		return 0, corrupt(key, errors.New("in no table"))
	}
	found := -1
	data := f.tables[f.at].file.Bytes()
	err = vectors.Guard(func() error {
		end := min(len(data), f.offset+betweenValues+len(value))
		found = bytes.Index(data[f.offset:end], value)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, f.tables[f.at].name)
	}
	at := f.offset + found
	if found < 0 || int64(at) > view.MaxOffset {
		return 0, fmt.Errorf("%w: key %x in %s", errNotVerbatim, key, f.tables[f.at].name)
	}
	f.offset = at + len(value)
	return view.Place(f.at, at), nil
}

func (f *finder) close() error {
	var errs []error
	for _, t := range f.tables {
		if t.file != nil {
			errs = append(errs, t.file.Close())
		}
	}
	return errors.Join(errs...)
}

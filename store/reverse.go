package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/sealed"
)

// A Reverse describes the in-neighbors of a store.
type Reverse struct {
	Checksum string `json:"checksum"` // of the graph that they belong to
	Rows     int    `json:"rows"`
	Entries  int64  `json:"entries"` // of all lists together
	Bytes    int64  `json:"-"`       // on disk
}

const reverseRecord = "reverse"

// ReverseOptions tunes BuildReverse. The zero value works.
type ReverseOptions struct {
	// Memory is the most that sorting may take, in bytes: 8 an entry and 8 a row of
	// those sorted at a time. 32 MiB do, and more serve only where there would be
	// too many spill files, from some 1.5 billion entries on; 0 sets no limit.
	Memory int64
	// Progress receives the name of the running step and how far it is, in rows.
	Progress func(what string, done, total int)
}

// BuildReverse builds the in-neighbors of the finished store in dir, for every
// row the rows that list it, and keeps them in dir/reverse: a second database
// with its own seal. The store itself stays as it was sealed, and dir/reverse may
// be deleted at any time. Where sound in-neighbors are there already it does
// nothing; ones that do not open are replaced.
//
// It reads the lists twice: to count the entries of every range of rows, and to
// write each entry, 12 bytes, to the spill file of its range. Then range after
// range is read back, sorted and written. It takes 32 MiB (ReverseOptions.Memory) and 1 MB
// of memory, or as much as the entries of 1/65,536 of the rows, if that is more; a row that
// very many rows list takes some 60 bytes for each of them, as it is written whole. Disk is
// 12 bytes an entry for the spill, given back at the end, and 8 for the result.
//
// All is written beside and renamed when it is whole: interrupted, it leaves the
// store without in-neighbors, and a further call begins anew.
//
// Errors: those of Open; ErrLocked where another process builds here; ErrSpace,
// before anything is written where the disk tells how much it has, else when it
// is full; one that names the memory needed where ReverseOptions.Memory is less;
// ctx's.
func BuildReverse(ctx context.Context, dir string, opts *ReverseOptions) (r Reverse, err error) {
	defer caught(&err)
	s, err := Open(dir, nil)
	if err != nil {
		return r, err
	}
	defer s.Close()
	home := s.home.Dir
	lock, err := lockDir(ctx, home)
	if err != nil {
		return r, err
	}
	defer lock.Close()
	if r, err = s.Reverse(); !errors.Is(err, ErrNoReverse) && !errors.Is(err, ErrCorrupt) && !sealed.Missing(err) {
		return r, err
	}
	if err := home.RemoveAll(reverseName + newSuffix); err != nil { // what a kill left
		return r, fmt.Errorf("store: %w", err)
	}
	if err := s.roomToTranspose(); err != nil {
		return r, err
	}
	if err := s.transposeTo(ctx, reverseName+newSuffix, opts); err != nil {
		return r, errors.Join(SpaceError(err), home.RemoveAll(reverseName+newSuffix))
	}
	if err := home.RemoveAll(reverseName); err != nil { // one that does not open
		return r, fmt.Errorf("store: %w", err)
	}
	if err := pebblefs.Of(home).Rename(home.Path(reverseName+newSuffix), home.Path(reverseName)); err != nil {
		return r, fmt.Errorf("store: %w", err)
	}
	if err := syncDir(pebblefs.Of(home), home.Name()); err != nil {
		return r, err
	}
	return s.Reverse()
}

// transposeTo makes a sealed folder of in-neighbors. It is written as a draft
// is, without a manifest.
func (s *Store) transposeTo(ctx context.Context, folder string, opts *ReverseOptions) (err error) {
	if err := s.home.MkdirAll(folder+"/"+scratchName, 0o777); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	home, err := s.home.Sub(folder)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer home.Close()
	dir := home.Name()
	d := &Draft{dir: dir, home: home, fs: pebblefs.Of(home)}
	if d.engine, err = openEngine(d.fs, filepath.Join(dir, graphName), 1<<20, toCreate, nil); err != nil {
		return err
	}
	if err := errors.Join(writeReverse(ctx, d, s, opts), d.engine.close()); err != nil {
		return err
	}
	for _, leftover := range []string{filepath.Join(dir, scratchName), filepath.Join(dir, graphName, tablesName)} {
		if err := d.fs.RemoveAll(leftover); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	// Files that Pebble removed must not come back beside those that are sealed.
	if err := syncDir(d.fs, filepath.Join(dir, graphName)); err != nil {
		return err
	}
	return seal(ctx, d.fs, home, nil, nil, func() error { return nil })
}

func writeReverse(ctx context.Context, d *Draft, s *Store, opts *ReverseOptions) error {
	scratch, err := d.home.Sub(scratchName)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer scratch.Close()
	t, err := newTransposer(ctx, s, scratch, opts)
	if err != nil {
		return err
	}
	w := newBlocks(d, tagReverse, block.InCount)
	defer w.b.abort()
	if err := t.each(w.add); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	if err := d.Record(reverseRecord, Reverse{Checksum: s.info.Checksum, Rows: w.rows, Entries: t.entries}); err != nil {
		return err
	}
	if err := d.engine.recordIdentities(d.home); err != nil {
		return err
	}
	if err := d.engine.settle(); err != nil {
		return err
	}
	return d.engine.makeView(ctx, d.fs, d.home, block.In(w.rows))
}

// roomToTranspose requires room on the disk for all spilled entries, and beside them for the
// result of the spill in memory, before that spill is removed.
func (s *Store) roomToTranspose() error {
	entries := int64(s.shape.Lists) * int64(s.shape.K)
	need := recordBytes*entries + min(8*entries, sortBytes)
	return Room("building in-neighbors", Need{s.dir, need})
}

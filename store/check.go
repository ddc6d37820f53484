package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store/internal/catalog"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
)

// CheckOptions tunes a check. The zero value works.
type CheckOptions struct {
	Full   bool   // recompute the keys of all rows, not of a sample
	Sample int    // rows whose keys are recomputed; 0 is 1000
	Seed   uint64 // of the sample
	// Progress receives the name of the running step and how far it is: in bytes for files,
	// in rows for all other steps. One goroutine at a time calls it.
	Progress func(what string, done, total int64)
}

// A CheckReport lists the findings of a check.
type CheckReport struct {
	Files      int      `json:"files"`        // sealed files hashed
	Bytes      int64    `json:"bytes"`        // of these files
	Rows       int      `json:"rows"`         // of the graph
	Lists      int      `json:"lists"`        // lists read, all but those of isolated rows
	View       int      `json:"view"`         // blocks of lists that the view finds without Pebble
	Reverse    int64    `json:"in_neighbors"` // entries of the in-neighbors, where they are built
	IDs        int      `json:"ids"`          // ids looked up
	Recomputed int      `json:"recomputed"`   // keys computed again and compared
	Faults     []string `json:"faults"`       // each names a file, key or row; at most 100
	More       int      `json:"more"`         // faults beyond those listed
	Notes      []string `json:"notes"`        // what could not be checked, and why
}

// maxFaults bounds a report on a store that is damaged all over.
const maxFaults = 100

// OK reports whether nothing is damaged.
func (r *CheckReport) OK() bool { return len(r.Faults) == 0 }

func (r *CheckReport) fault(format string, args ...any) {
	if len(r.Faults) == maxFaults {
		r.More++
		return
	}
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}

// failed adds the error that ended a step, unless it repeats a fault, such as that of a file's hash.
func (r *CheckReport) failed(err error) {
	if !slices.ContainsFunc(r.Faults, func(fault string) bool { return strings.HasSuffix(err.Error(), fault) }) {
		r.fault("%v", err)
	}
}

// Check verifies a finished store: size and hash of every file, every block,
// the lists, the view of them and the in-neighbors where they are there, the order, the
// ids, the checksum, and on a sample of rows the keys themselves. The report lists
// the damage; the error is for a check that could not go on, or whose context ended.
func Check(ctx context.Context, dir string, opts CheckOptions) (*CheckReport, error) {
	if opts.Sample == 0 {
		opts.Sample = 1000
	}
	if opts.Progress == nil {
		opts.Progress = func(string, int64, int64) {}
	}
	c := &checker{ctx: ctx, dir: dir, opts: opts, report: &CheckReport{Faults: []string{}, Notes: []string{}}}
	if err := isFinished(dir); err != nil {
		return nil, err
	}
	home, err := openHome(dir)
	if err != nil {
		return nil, err
	}
	defer home.Close()
	if err := c.files(home, ""); err != nil {
		return nil, err
	}
	if err := c.reverseFiles(home); err != nil {
		return nil, err
	}
	return c.report, c.contents()
}

// reverseFiles checks the files of the in-neighbors, where there are any.
func (c *checker) reverseFiles(home *rooted.Dir) error {
	reverse, err := home.Sub(reverseName)
	if sealed.Missing(err) {
		return nil
	}
	c.reversed = true
	if err != nil {
		c.report.fault("%v", err)
		return nil
	}
	defer reverse.Close()
	return c.files(reverse, reverseName)
}

type checker struct {
	ctx    context.Context
	dir    string
	opts   CheckOptions
	report *CheckReport
	store  *Store

	reversed bool   // in-neighbors are there
	listed   []bool // rows with a list
}

// files hashes every sealed file of a folder of the store, or of the store
// itself, and looks for ones that are not sealed.
func (c *checker) files(home *rooted.Dir, folder string) error {
	files, _, err := sealed.Read(home)
	if err != nil {
		c.report.fault("%v", err)
		return nil
	}
	listed := map[string]bool{} // what an older knng sealed may be more than ours
	for _, f := range files {
		listed[f.Path] = true
	}
	found, unread, err := hashFiles(c.ctx, home, func(rel string) bool { return ours(rel) || listed[rel] }, nil, func(done, all int64) { c.opts.Progress("files", done, all) })
	if err != nil {
		return err
	}
	if err := c.strangers(home, folder, listed); err != nil {
		return err
	}
	have, errs := map[string]SealedFile{}, map[string]error{}
	for i, f := range found {
		have[f.Path], errs[f.Path] = f, unread[i]
	}
	for _, f := range files {
		now, ok := have[f.Path]
		delete(have, f.Path)
		name := path.Join(folder, f.Path)
		switch {
		case !ok:
			c.report.fault("%s: missing", name)
		case errs[f.Path] != nil:
			c.report.fault("%s: cannot be read: %v", name, errs[f.Path])
		case now.Size != f.Size:
			c.report.fault("%s: %d bytes, sealed with %d", name, now.Size, f.Size)
		case now.SHA256 != f.SHA256:
			c.report.fault("%s: contents differ from what was sealed (SHA-256 %s, want %s)", name, now.SHA256, f.SHA256)
		}
		c.report.Files++
		c.report.Bytes += f.Size
	}
	for _, rest := range slices.Sorted(maps.Keys(have)) {
		c.report.fault("%s: not part of the sealed store", path.Join(folder, rest))
	}
	return nil
}

// strangers finds files that are in the folder and not of the store.
func (c *checker) strangers(home *rooted.Dir, folder string, listed map[string]bool) error {
	names, err := strangers(home)
	for _, name := range names {
		if !listed[name] {
			c.report.fault("%s: not part of the sealed store", path.Join(folder, name))
		}
	}
	return err
}

// contents opens the store and checks its contents.
func (c *checker) contents() error {
	s, err := openBuilt(c.dir)
	if err != nil {
		c.report.failed(err)
		return nil
	}
	defer s.Close()
	c.store = s
	for _, step := range []func() error{c.lists, c.view, c.catalog, c.reverse, c.order, c.leftovers, c.ids, c.referenced, c.keys} {
		err := c.ctx.Err()
		if err == nil {
			err = step()
		}
		if err != nil {
			if ctxErr := c.ctx.Err(); ctxErr != nil {
				return ctxErr
			}
			c.report.failed(err)
		}
	}
	return nil
}

// progress tells how far a pass over the rows is, and whether to go on.
func (c *checker) progress(what string, row Row) error {
	if row%8192 != 0 {
		return nil
	}
	c.opts.Progress(what, int64(row), int64(c.store.Len()))
	return c.ctx.Err()
}

// lists checks shape and order of every list, and the checksum over all.
func (c *checker) lists() error {
	seen := map[uint32]bool{}
	c.listed = nil // not as long as a damaged record says
	err := c.store.EachKeyed(func(row Row, neighbors []uint32, keys []float32) error {
		if err := c.progress("lists", row); err != nil {
			return err
		}
		c.report.Rows++
		c.listed = append(c.listed, len(neighbors) > 0)
		if len(neighbors) > 0 {
			c.report.Lists++
		}
		clear(seen)
		for i, n := range neighbors {
			if Row(n) == row || seen[n] {
				c.report.fault("row %d: neighbor %d is the row itself or stands twice", row, n)
			}
			seen[n] = true
			if i > 0 && (keys[i] < keys[i-1] || keys[i] == keys[i-1] && n < neighbors[i-1]) || math.IsNaN(float64(keys[i])) {
				c.report.fault("row %d: entry %d is out of order", row, i)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.report.Lists != c.store.shape.Lists {
		c.report.fault("%d rows have a list, %d are recorded", c.report.Lists, c.store.shape.Lists)
	}
	if want := max(0, min(c.store.info.Manifest.K, c.report.Lists-1)); c.store.K() != want && c.report.Lists > 0 {
		c.report.fault("lists have %d neighbors, want min(k, n-1) = %d", c.store.K(), want)
	}
	sum, err := c.store.engine.checksum(c.store.shape, func(row int) error { return c.progress("checksum", Row(row)) })
	if err == nil && sum != c.store.info.Checksum {
		c.report.fault("the graph's checksum is %s, recorded %s", sum, c.store.info.Checksum)
	}
	return err
}

// order checks that every row with a list has one place.
func (c *checker) order() error {
	if len(c.listed) != c.store.Len() {
		return nil // lists said so; the number of rows is not to be believed
	}
	order, err := c.store.engine.order()
	if err != nil {
		return err
	}
	seen := make([]bool, c.store.Len())
	for place, row := range order {
		if int(row) >= len(seen) || seen[row] {
			c.report.fault("place %d: row %d is out of range or has a place already", place, row)
			continue
		}
		seen[row] = true
	}
	if c.store.K() == 0 { // a row alone has a place and no list
		return nil
	}
	for row, listed := range c.listed {
		if listed != seen[row] {
			c.report.fault("row %d: has a list is %v, has a place is %v", row, listed, seen[row])
		}
	}
	return nil
}

// leftovers looks for data that only a build needs, which sealing drops.
func (c *checker) leftovers() error {
	for _, tag := range buildTags {
		keys := 0
		err := c.store.engine.scan([]byte{tag}, func(_, _ []byte) error { keys++; return nil })
		if err != nil {
			return err
		}
		if keys > 0 {
			c.report.fault("%d keys of %s (tag %02x) in a finished store", keys, tagNames[tag], tag)
		}
	}
	return nil
}

// ids checks that rows and ids name each other: the pairs that stand under rows are those
// that stand under ids. Both are read in their order and compared by the sum of their
// hashes, in no memory; where these differ row after row is looked up, to tell which.
func (c *checker) ids() error {
	if !c.store.info.IDs {
		return nil
	}
	byRow, rows, err := c.idsByRow()
	if err != nil {
		return err
	}
	byID, ids, err := c.rowsByID()
	if err != nil {
		return err
	}
	c.report.IDs = rows
	if rows == c.store.Len() && ids == rows && byID == byRow {
		return nil
	}
	faults := len(c.report.Faults) + c.report.More
	if err := c.eachID(); err != nil {
		return err
	}
	if faults == len(c.report.Faults)+c.report.More {
		c.report.fault("%d ids by row and %d rows by id are not the same, for %d rows", rows, ids, c.store.Len())
	}
	return nil
}

// idsByRow counts and hashes the ids that stand in the order of rows.
func (c *checker) idsByRow() (sum uint64, rows int, err error) {
	block := uint64(0)
	err = c.store.engine.scan([]byte{tagIDs}, func(key, value []byte) error {
		if want := key64(nil, tagIDs, block); string(want) != string(key) {
			return corrupt(key, fmt.Errorf("want block %d of ids", block))
		}
		block++
		for d := (decoder{data: value}); len(d.data) > 0; rows++ {
			n := d.uvarint()
			if d.bad || n > uint64(len(d.data)) {
				return corrupt(key, errors.New("damaged ids"))
			}
			sum += hashID(uint64(rows), d.data[:n])
			d.data = d.data[n:]
			if err := c.progress("ids", Row(rows)); err != nil {
				return err
			}
		}
		if uint64(rows) != block*catalog.IDsPerBlock && rows != c.store.Len() {
			return corrupt(key, fmt.Errorf("%d ids up to block %d", rows, block))
		}
		return nil
	})
	return sum, rows, err
}

// rowsByID counts and hashes the rows that stand in the order of ids.
func (c *checker) rowsByID() (sum uint64, ids int, err error) {
	err = c.store.engine.scan([]byte{tagRowOfID}, func(key, value []byte) error {
		if len(value) != 8 {
			return corrupt(key, fmt.Errorf("%d bytes, want 8", len(value)))
		}
		sum += hashID(binary.LittleEndian.Uint64(value), key[1:])
		ids++
		return c.progress("rows by id", Row(ids-1))
	})
	return sum, ids, err
}

func hashID(row uint64, id []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(row)
	d.Write(id)
	return d.Sum64()
}

// eachID looks every id up by its row, and the row by its id.
func (c *checker) eachID() error {
	for row := range c.store.Len() {
		id, err := c.store.ID(Row(row))
		if err != nil {
			return err
		}
		back, err := c.store.RowOf(id)
		if err != nil {
			return err
		}
		if back != Row(row) {
			c.report.fault("row %d has id %q, which is row %d's", row, id, back)
		}
		if err := c.progress("ids", Row(row)); err != nil {
			return err
		}
	}
	return nil
}

// referenced hashes the rows of a referenced file. Those of the store are hashed with its other files.
func (c *checker) referenced() error {
	if c.store.info.Manifest.Vectors != "reference" {
		return nil
	}
	err := c.store.CheckRows(c.ctx)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil // keys says so
	}
	return err
}

// keys computes keys again from the vectors.
func (c *checker) keys() error {
	if c.store.OwnDistance() {
		c.report.Notes = append(c.report.Notes, "keys were not computed again: their distance, "+c.store.info.Distance+", is not computed from the rows")
		return nil
	}
	if len(c.listed) != c.store.Len() {
		return nil
	}
	keyOf, done, err := c.store.recomputed()
	if c.store.info.Manifest.Vectors == "reference" && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		c.report.Notes = append(c.report.Notes, fmt.Sprintf("keys were not recomputed: %v", err))
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	step := 1
	if !c.opts.Full {
		step = max(1, c.store.Len()/c.opts.Sample)
	}
	var neighbors []uint32
	var keys []float32
	for row := int(c.opts.Seed % uint64(step)); row < c.store.Len(); row += step {
		if row%256 == 0 {
			c.opts.Progress("keys", int64(row), int64(c.store.Len()))
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if neighbors, keys, err = c.store.Keyed(Row(row), neighbors, keys); err != nil {
			return err
		}
		for i, n := range neighbors {
			key, err := keyOf(uint32(row), n)
			if err != nil {
				return err
			}
			if math.Float32bits(key) != math.Float32bits(keys[i]) {
				c.report.fault("row %d: neighbor %d has key %v, computed again it is %v", row, n, keys[i], key)
			}
			c.report.Recomputed++
		}
	}
	return nil
}

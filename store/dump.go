package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/internal/view"
	"github.com/knng/knng/vectors"
)

// DumpKeys lists the keys of Dump, for people.
const DumpKeys = `manifest, result, seal, row/N, in/N, block/N, view/N, place/N, id/NAME, record/NAME`

// Dump prints a part of a store, finished or not, for people: see DumpKeys. A list of all
// keys reads the whole store, and ends when ctx does. It locks an
// unfinished store meanwhile: ErrLocked if a build is running there.
func Dump(ctx context.Context, dir string, w io.Writer, key string) error {
	state, err := StateOf(dir)
	if err == nil {
		err = isStore(dir, state)
	}
	if err != nil {
		return err
	}
	home, err := openHome(dir)
	if err != nil {
		return err
	}
	if state == Finished {
		return dumpSealed(ctx, home, w, key)
	}
	defer home.Close()
	lock, err := shareDir(home) // tables that a build drops would seem to be damage
	if err != nil {
		return err
	}
	defer lock.Close()
	e, err := openUnfinished(home)
	if err != nil {
		return err
	}
	defer e.close()
	return dumping{e, w}.dump(ctx, nil, key)
}

// dumpSealed prints a part of a sealed store, of which it takes the directory over.
func dumpSealed(ctx context.Context, root *rooted.Dir, w io.Writer, key string) (err error) {
	defer caught(&err)
	e, home, err := openSealed(root, &Options{CacheBytes: 8 << 20})
	if err != nil {
		return err
	}
	defer home.Close()
	defer e.close()
	return dumping{e, w}.dump(ctx, home, key)
}

// dumping prints parts of a store.
type dumping struct {
	*engine
	w io.Writer
}

// dump prints a part of a store; home is nil where it is not finished.
func (d dumping) dump(ctx context.Context, home *sealed.Dir, key string) error {
	name, arg, _ := strings.Cut(key, "/")
	switch name {
	case "":
		return d.dumpAll(ctx)
	case "manifest", "result":
		return d.dumpRecord(name)
	case "record":
		return d.dumpRecord(arg)
	case "seal":
		if home == nil {
			return ErrNotFinished
		}
		_, err := d.w.Write(sealed.Text(home.Files))
		return err
	case "id":
		row, ok, err := d.rowOf(arg)
		if err == nil && !ok {
			err = fmt.Errorf("%w: %q", ErrNoID, arg)
		}
		if err == nil {
			fmt.Fprintf(d.w, "row %d\n", row)
		}
		return err
	}
	n, err := strconv.ParseUint(arg, 10, 32)
	if err != nil {
		return fmt.Errorf("%w: %q, want %s, or none for a list of all", ErrKey, key, DumpKeys)
	}
	switch name {
	case "row":
		return d.dumpRow(n, "neighbors", tagAdjacency, block.OutCount)
	case "in":
		return dumpIn(home, d.w, n)
	case "block":
		return d.dumpBlock(n)
	case "view":
		return d.dumpView(home, n)
	case "place":
		return d.dumpPlace(n)
	}
	return fmt.Errorf("%w: %q, want %s, or none for a list of all", ErrKey, key, DumpKeys)
}

// tagNames names the contents of each tag.
var tagNames = map[byte]string{
	tagRecord: "records", tagUnit: "finished units", tagBlock: "subgraph blocks", tagFolded: "folded lists",
	tagLabels: "leaf numbers", tagAdjacency: "adjacency", tagReverse: "in-neighbors", tagOrder: "locality order", tagIDs: "ids by row", tagRowOfID: "rows by id",
}

// dumpAll counts keys and bytes by tag and names the records.
func (d dumping) dumpAll(ctx context.Context) error {
	for tag := byte(1); tag < 0x80; tag++ {
		keys, bytes := 0, 0
		var names []string
		err := d.scan([]byte{tag}, func(key, value []byte) error {
			if keys++; keys%rowsPerLook == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			bytes += len(key) + len(value)
			if tag == tagRecord {
				names = append(names, fmt.Sprintf("  %s: %d bytes\n", key[1:], len(value)))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if keys > 0 {
			fmt.Fprintf(d.w, "%02x %s: %d keys, %d bytes\n%s", tag, tagNames[tag], keys, bytes, strings.Join(names, ""))
		}
	}
	return nil
}

func (d dumping) dumpRecord(name string) error {
	var v any
	ok, err := d.load(name, &v)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: %q", ErrNoRecord, name)
	}
	enc := json.NewEncoder(d.w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// block reads the block that holds the list of a row.
func (d dumping) block(tag byte, row uint64) ([]byte, error) {
	value, ok, err := d.get(key64(nil, tag, row/block.Rows))
	if err == nil && !ok {
		err = fmt.Errorf("%w: %d", ErrNoRow, row)
	}
	return value, err
}

// dumpIn prints the in-neighbors of a row, which have a database of their own.
func dumpIn(home *sealed.Dir, w io.Writer, row uint64) error {
	if home == nil {
		return ErrNotFinished
	}
	folder, err := home.Sub(reverseName)
	if sealed.Missing(err) {
		return fmt.Errorf("%w in %s: knng analyze --reverse builds them", ErrNoReverse, home.Name())
	}
	if err != nil {
		return storeerr.Damage(err)
	}
	e, reverse, err := openSealed(folder, &Options{CacheBytes: 8 << 20})
	if err != nil {
		return err
	}
	defer reverse.Close()
	defer e.close()
	return dumping{e, w}.dumpRow(row, "in-neighbors", tagReverse, block.InCount)
}

func (d dumping) dumpRow(row uint64, what string, tag byte, countBytes int) error {
	value, err := d.block(tag, row)
	if err != nil {
		return err
	}
	neighbors, keys, err := block.Row(value, int(row%block.Rows), countBytes)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.w, "row %d: %d %s with keys\n", row, len(neighbors)/4, what)
	ks := block.Float32s(nil, keys)
	for i, n := range block.Uint32s(nil, neighbors) {
		fmt.Fprintf(d.w, "%10d %v\n", n, ks[i])
	}
	return nil
}

// dumpBlock prints the bytes of an adjacency block and their meaning.
func (d dumping) dumpBlock(row uint64) error {
	value, err := d.block(tagAdjacency, row)
	if err != nil {
		return err
	}
	first := row / block.Rows * block.Rows
	fmt.Fprintf(d.w, "key %x\n", key64(nil, tagAdjacency, row/block.Rows))
	if _, _, err := block.Row(value, 0, block.OutCount); err != nil {
		return corrupt(nil, err)
	}
	rows := int(value[0])
	at := 0
	line := func(n int, what string) {
		fmt.Fprintf(d.w, "%6d  % x  # %s\n", at, value[at:at+n], what)
		at += n
	}
	line(1, fmt.Sprintf("%d rows", rows))
	for i := range rows {
		line(2, fmt.Sprintf("row %d: %d entries", first+uint64(i), binary.LittleEndian.Uint16(value[at:])))
	}
	for i := range rows {
		count := 4 * int(binary.LittleEndian.Uint16(value[1+2*i:]))
		line(count, fmt.Sprintf("neighbors of row %d: %v", first+uint64(i), block.Uint32s(nil, value[at:at+count])))
		line(count, fmt.Sprintf("keys of row %d: %v", first+uint64(i), block.Float32s(nil, value[at:at+count])))
	}
	return nil
}

// dumpView prints where the view finds the block of a row, and the block there.
func (d dumping) dumpView(home *sealed.Dir, row uint64) error {
	if home == nil {
		return ErrNotFinished
	}
	var shape Shape
	ok, err := d.load(block.ShapeRecord, &shape)
	if err == nil && ok {
		err = shape.Check()
	}
	if err != nil {
		return err
	}
	if !ok || row >= uint64(shape.Rows) {
		return fmt.Errorf("%w: %d", ErrNoRow, row)
	}
	l, err := openLists(d.engine, home, block.Out(shape))
	if err != nil {
		return err
	}
	defer l.close()
	if l.view == nil {
		return fmt.Errorf("store: %s has no view", home.Name())
	}
	return vectors.Guard(func() error { return dumpEntry(d.w, l.view, int(row/block.Rows)) })
}

func dumpEntry(w io.Writer, v *view.View, b int) error {
	e, err := v.Entry(b)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%6d  % x  # %s: byte %d of %s\n", e.At, e.Raw[:8], v.RowsOf(b), e.Byte, filepath.Base(e.Table))
	fmt.Fprintf(w, "%6s  % x  # checksum of its %d bytes: %016x\n", "", e.Raw[8:], len(e.Block), view.Sum(b, e.Block))
	return nil
}

func (d dumping) dumpPlace(place uint64) error {
	order, err := d.order()
	if err != nil {
		return err
	}
	if place >= uint64(len(order)) {
		return fmt.Errorf("%w: place %d, there are %d", ErrNoRow, place, len(order))
	}
	_, err = fmt.Fprintf(d.w, "place %d: row %d\n", place, order[place])
	return err
}

package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/catalog"
	"github.com/knng/knng/store/internal/view"
	"github.com/knng/knng/vectors"
)

// view compares the view with one made of Pebble's tables now, so that both have the same
// blocks.
func (c *checker) view() error {
	if c.store.lists.view == nil {
		note := "there is no view: lookups go through Pebble"
		if _, err := os.Lstat(filepath.Join(c.store.Dir(), viewName)); err == nil {
			note = otherView
		}
		c.report.Notes = append(c.report.Notes, note)
		return nil
	}
	c.report.View = c.store.lists.Blocks()
	return c.sameView(viewName, c.store.lists)
}

// otherView is told of a view that is passed over.
const otherView = "the view is of another version, or its header is damaged: lookups go through Pebble, until knng analyze --view makes it again"

// sameView compares the view of lists, a file called name, with one made again.
func (c *checker) sameView(name string, l *lists) error {
	header := view.HeaderBytes(l.view.Tables())
	same := comparer{want: l.view.Bytes(), goOn: func(at int) error {
		return c.progress("view", Row(max(0, at-header)/view.EntryBytes*block.Rows))
	}}
	err := vectors.Guard(func() error { return l.engine.writeView(c.ctx, &same, l.home, l.Layout) })
	if err == nil && same.at < len(same.want) {
		err = errDiffers
	}
	if errors.Is(err, errDiffers) {
		b := max(0, same.at-header) / view.EntryBytes
		c.report.fault("%s: byte %d, about block %d, is not what Pebble's tables say", name, same.at, b)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// catalog checks that the catalog is the one that would be made of the database now.
func (c *checker) catalog() error {
	if c.store.graph.Catalog == nil {
		c.report.Notes = append(c.report.Notes, "there is no catalog: package reader does not open the store")
		return nil
	}
	same := comparer{want: c.store.graph.Catalog.Bytes(), goOn: func(int) error { return c.ctx.Err() }}
	err := vectors.Guard(func() error {
		err := c.store.engine.writeCatalog(c.ctx, &same)
		if err == nil {
			_, err = same.Write(catalog.Trailer(c.store.home.Sum))
		}
		if err == nil && same.at < len(same.want) {
			err = errDiffers
		}
		return err
	})
	if errors.Is(err, errDiffers) {
		c.report.fault("%s: byte %d is not that of a catalog made of the database", catalogName, same.at)
		return nil
	}
	return err
}

var errDiffers = errors.New("the files differ")

// A comparer compares the bytes written to it with the contents of a file.
type comparer struct {
	want []byte
	at   int                // bytes that are equal
	goOn func(at int) error // asked before every write
}

func (c *comparer) Write(data []byte) (int, error) {
	if err := c.goOn(c.at); err != nil {
		return 0, err
	}
	if rest := c.want[c.at:]; len(data) > len(rest) || !bytes.Equal(data, rest[:len(data)]) {
		return 0, errDiffers
	}
	c.at += len(data)
	return len(data), nil
}

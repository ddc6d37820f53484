package living_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
)

// TestDamagedLinks: links that lead nowhere are ErrCorrupt, with the advice to delete their file.
func TestDamagedLinks(t *testing.T) {
	dir, rows := builtStore(t, 300, 4)
	must(t, reader(t, dir).Close()) // which makes the links
	f, err := os.OpenFile(search.Path(dir), os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0x7f}, 300*4), 4096)
	must(t, errors.Join(err, f.Close()))
	_, err = reader(t, dir).Search(rows[0], living.Query{K: 2})
	advised := new(store.AdvisedError)
	if !errors.Is(err, living.ErrCorrupt) || !errors.Is(err, search.ErrCorrupt) || !errors.As(err, &advised) {
		t.Errorf("damaged links: %v", err)
	}
}

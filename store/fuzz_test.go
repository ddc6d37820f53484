package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/store/internal/catalog"
	"github.com/knng/knng/store/internal/sealed"
)

// FuzzManifest: a manifest that is accepted is one that a store can have, and
// equals itself.
func FuzzManifest(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		var m Manifest
		if json.Unmarshal(data, &m) != nil || m.Check() != nil {
			return
		}
		if typ, err := m.RowType(); err != nil || typ.Size() < 1 || m.Rows < 0 || m.Dim < 1 || m.K < 1 {
			t.Fatalf("%+v was accepted", m)
		}
		if err := compareManifests("dir", &m, &m); err != nil {
			t.Fatal(err)
		}
		again, other := m, Manifest{}
		again.Options = append(slices.Clone(m.Options), Option{Name: "fuzz-only", Value: "1"})
		if err := compareManifests("dir", &m, &again); !errors.Is(err, ErrMismatch) {
			t.Fatalf("another option: %v", err)
		}
		compareManifests("dir", &other, &m)
	})
}

// FuzzIDs: a file of ids that is accepted has a line for each row, and comes
// back from the values that it is written as.
func FuzzIDs(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte, rows uint8) {
		ids := 0
		err := eachID(bytes.NewReader(text), "ids", int(rows), nil, func(line int, id []byte) error {
			if ids++; len(id) == 0 || len(id) > maxID || line != ids || ids > int(rows) {
				t.Fatalf("id %q in line %d was accepted", id, line)
			}
			return nil
		})
		if err == nil && ids != int(rows) {
			t.Fatalf("%d ids for %d rows", ids, rows)
		}
	})
}

// FuzzIDBlocks: a value of ids, whatever is in it, gives an id that is part of
// it, or an error.
func FuzzIDBlocks(f *testing.F) {
	f.Fuzz(func(t *testing.T, value []byte) {
		for i := range catalog.IDsPerBlock {
			if id, err := catalog.IDAt(value, i); err == nil && !bytes.Contains(value, id) {
				t.Fatalf("id %q is not in the value", id)
			}
		}
	})
}

// FuzzSeal: a seal that is accepted names files inside the store, with sizes; the
// checksum that ends it is made to fit.
func FuzzSeal(f *testing.F) {
	f.Add([]byte("knng seal 1\n" + strings.Repeat("0", 64) + " 12 graph/000001.sst\n"))
	f.Add([]byte("knng seal 1\n" + strings.Repeat("0", 64) + " -1 ../../x\n"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		sealed.Parse(lines) // hardly ever accepted
		if len(lines) == 0 || lines[len(lines)-1] != '\n' {
			return
		}
		files, err := sealed.Parse(fmt.Appendf(bytes.Clone(lines), "seal %x\n", sha256.Sum256(lines)))
		if err != nil {
			return
		}
		for _, file := range files {
			if file.Size < 0 || !filepath.IsLocal(filepath.FromSlash(file.Path)) {
				t.Fatalf("%+v was accepted", file)
			}
		}
	})
}

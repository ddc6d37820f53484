package export_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/export"
	"github.com/knng/knng/vectors"
)

// line makes a finished store of rows at 0, 1, 2, ...: the neighbors of a row
// are those beside it. Row 3 is isolated where that is asked for.
func line(dir string, n int, isolate bool) (*store.Store, error) {
	d, err := store.OpenDraft(dir, store.Manifest{Rows: n, Dim: 1, Type: "float32", Metric: "euclidean", K: 2, Vectors: "copy"}, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	w, err := vectors.CreateRows(d.RowsPath(), n, 1, vectors.Float32)
	if err != nil {
		return nil, err
	}
	var order []uint32
	row := make([]byte, 4)
	for i := range n {
		order = append(order, uint32(i))
		if err := vectors.Encode(vectors.Float32, []float32{float32(i)}, row); err != nil {
			return nil, err
		}
		if _, err := w.Write(row); err != nil {
			return nil, err
		}
	}
	if err := w.Commit(); err != nil {
		return nil, err
	}
	if err := d.CommitOrder(order); err != nil {
		return nil, err
	}
	err = d.CommitAdjacency(2, func(add func([]uint32, []float32) error) error {
		for i := range uint32(n) {
			neighbors, keys := []uint32{i - 1, i + 1}, []float32{1, 1}
			switch {
			case isolate && i == 3:
				neighbors, keys = nil, nil
			case i == 0:
				neighbors, keys = []uint32{1, 2}, []float32{1, 4}
			case int(i) == n-1:
				neighbors, keys = []uint32{i - 1, i - 2}, []float32{1, 4}
			}
			if err := add(neighbors, keys); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum, err := d.Checksum(context.Background())
	if err != nil {
		return nil, err
	}
	if err := d.Seal(context.Background(), map[string]any{"checksum": sum}); err != nil {
		return nil, err
	}
	return store.Open(dir, nil)
}

// The checksum of a store is the SHA-256 of its gt export.
func TestChecksumIsThatOfTheExport(t *testing.T) {
	for _, isolate := range []bool{false, true} {
		dir := t.TempDir()
		s, err := line(filepath.Join(dir, "line.knng"), 1000, isolate)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		path := filepath.Join(dir, "line.gt")
		if err := export.Export(s, path, export.Options{Format: export.GT}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got, want := hex.EncodeToString(sum[:]), s.Info().Checksum; got != want {
			t.Errorf("isolated %v: the export hashes to %s, the store says %s", isolate, got, want)
		}
	}
}

// TestExportStops: a context ends an export, and nothing is left of it.
func TestExportStops(t *testing.T) {
	dir := t.TempDir()
	s, err := line(filepath.Join(dir, "line.knng"), 10000, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	rows := 0
	err = s.Under(ctx).EachKeyed(func(store.Row, []uint32, []float32) error {
		if rows++; rows == 5000 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || rows < 5000 || rows == 10000 {
		t.Errorf("error %v after %d rows", err, rows)
	}
	for _, format := range []export.Format{export.NPY, export.NPZ, export.GT, export.CSV} {
		path := filepath.Join(dir, "out")
		if err := export.Export(s.Under(ctx), path, export.Options{Format: format}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want context.Canceled", format, err)
		}
		if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
			t.Errorf("%s: %q are left", format, left)
		}
	}
}

// TestExportApart: a file in the folder of a store, which is sealed as a whole, is refused.
func TestExportApart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	g, err := line(dir, 20, false)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, g := range []export.Graph{g, g.Under(t.Context())} {
		if err := export.Export(g, filepath.Join(dir, "g.csv"), export.Options{Format: export.CSV}); err == nil {
			t.Error("it was written into the store")
		}
		if err := export.Export(g, dir+".csv", export.Options{Format: export.CSV, Force: true}); err != nil {
			t.Error(err)
		}
	}
	report, err := store.Check(t.Context(), dir, store.CheckOptions{})
	if err != nil || len(report.Faults) > 0 {
		t.Errorf("%v, %v", report, err)
	}
}

func ExampleExport() {
	dir, err := os.MkdirTemp("", "export")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	g, err := line(filepath.Join(dir, "line.knng"), 4, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	path := filepath.Join(dir, "line.csv")
	if err := export.Export(g, path, export.Options{Format: export.CSV}); err != nil {
		fmt.Println(err)
		return
	}
	text, _ := os.ReadFile(path)
	fmt.Printf("%.58s\n", text)
	// Output:
	// row,rank,neighbor,distance
	// 0,1,1,1
	// 0,2,2,2
	// 1,1,0,1
	// 1,2,2,1
}

package recall

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzReadTruth: files of exact lists that are accepted can be looked through.
func FuzzReadTruth(f *testing.F) {
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, lists, rows []byte) {
		gt, ibin := filepath.Join(dir, "x.gt"), filepath.Join(dir, "x.rows.ibin")
		if err := os.WriteFile(gt, lists, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(ibin, rows, 0o666); err != nil {
			t.Fatal(err)
		}
		truth, err := ReadTruth(gt, ibin)
		if err != nil {
			return
		}
		for i := range truth.Rows {
			if neighbors, distances := truth.List(i); len(neighbors) != truth.K || len(distances) != truth.K {
				t.Fatalf("list %d: %d neighbors, %d distances, k %d", i, len(neighbors), len(distances), truth.K)
			}
		}
		truth.Check(10, 3)
	})
}

package vectors

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestWriterClosed: no row is lost without an error, and Close promises no file where there is none.
func TestWriterClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for name, end := range map[string]func(*Writer) error{"Close": (*Writer).Close, "Abort": (*Writer).Abort} {
		w, err := Create(path, Float32, 2)
		if err == nil {
			err = w.AppendFloat32([]float32{1, 2}, "a")
		}
		if err = errors.Join(err, end(w)); err != nil {
			t.Fatal(err)
		}
		if err := w.AppendFloat32([]float32{3, 4}, "b"); !errors.Is(err, os.ErrClosed) || w.Rows() != 1 {
			t.Errorf("Append after %s: %v, %d rows", name, err, w.Rows())
		}
		if err := w.Close(); (err == nil) != (name == "Close") || name == "Abort" && !errors.Is(err, os.ErrClosed) {
			t.Errorf("Close after %s: %v", name, err)
		}
		if err := w.Abort(); err != nil {
			t.Errorf("Abort after %s: %v", name, err)
		}
	}
}

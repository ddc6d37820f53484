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

// TestInputClosed: rows of a closed file are an error, not a panic.
func TestInputClosed(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, name := range []string{"a.npy", "b.fvecs"} {
		path := filepath.Join(dir, name)
		w, err := Create(path, Float32, 2)
		if err == nil {
			err = errors.Join(w.AppendFloat32([]float32{1, 2}, ""), w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	text := filepath.Join(dir, "c.csv") // received as wide rows
	if err := os.WriteFile(text, []byte("1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]string{paths[:1], paths[1:], paths, {text}} {
		in, err := Open(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, mapped := in.Mapped()
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		raw, wide := make([]byte, 8), make([]float64, 2)
		errs := []error{in.ReadRows(0, raw), Refused(in.ReadRows(in.Len()-1, raw))}
		if mapped {
			errs = append(errs, rows.ReadRows(0, raw))
		}
		if w, ok := WideOf(in); ok {
			errs = append(errs, w.ReadWide(0, wide))
		}
		for _, err := range errs {
			if !errors.Is(err, os.ErrClosed) || errors.Is(err, ErrRows) {
				t.Errorf("%v: %v", files, err)
			}
		}
		if _, mapped := in.Mapped(); mapped {
			t.Errorf("%v: mapped after Close", files)
		}
		if err := errors.Join(in.Rest(), in.Close()); err != nil {
			t.Errorf("%v: Rest, Close after Close: %v", files, err)
		}
	}
}

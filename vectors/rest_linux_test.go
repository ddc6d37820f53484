package vectors

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestRest: rows at rest are not this process's memory, and can be read all the same.
func TestRest(t *testing.T) {
	const n, dim = 64 << 10, 128 // 8 MiB
	path := filepath.Join(t.TempDir(), "rows.u8bin")
	data := bytes.Repeat([]byte{1, 2, 3, 4}, n*dim/4)
	header := []byte{0, 0, 1, 0, dim, 0, 0, 0}
	if err := os.WriteFile(path, append(header, data...), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][]string{{path}, {path, path}} {
		in, err := Open(paths, nil)
		if err != nil {
			t.Fatal(err)
		}
		read := func() []byte {
			dst := make([]byte, in.Len()*dim)
			if err := in.ReadRows(0, dst); err != nil {
				t.Fatal(err)
			}
			return dst
		}
		want := read()
		before := residentOfFiles(t)
		if err := in.Rest(); err != nil {
			t.Fatal(err)
		}
		const program = 1 << 20 // what of it may come meanwhile
		if gone := before - residentOfFiles(t); gone < int64(in.Len()*dim)-program {
			t.Errorf("%d files: %d bytes fewer in memory, want %d", len(paths), gone, in.Len()*dim)
		}
		if !bytes.Equal(read(), want) {
			t.Errorf("%d files: other rows after a rest", len(paths))
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// residentOfFiles is how many bytes of files are in this process's memory.
func residentOfFiles(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		t.Fatal(err)
	}
	return shared * int64(os.Getpagesize())
}

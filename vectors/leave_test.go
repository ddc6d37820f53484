package vectors

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLeaveStdin: a context ends the wait for rows that nobody writes, in the header and
// after some rows, and with a limit nothing is waited for behind the last.
func TestLeaveStdin(t *testing.T) {
	part := partOfNpy(t)
	for name, c := range map[string]struct {
		written []byte
		limit   int
		rows    int // received; 0: the context ends it
	}{"before the header": {nil, 0, 0}, "after some rows": {part, 0, 0}, "behind the limit": {part, 2, 2}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		stdin := os.Stdin
		os.Stdin = r
		go w.Write(c.written) // more than a pipe may hold
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		in, err := Open([]string{"-"}, &OpenOptions{Context: ctx, Limit: c.limit, Scratch: t.TempDir()})
		switch {
		case c.rows == 0 && !errors.Is(err, context.DeadlineExceeded):
			t.Errorf("%s: %v", name, err)
		case c.rows > 0 && (err != nil || in.Len() != c.rows || !in.Files[0].Cut):
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			in.Close()
		}
		cancel()
		os.Stdin = stdin
		w.Close()
		io.Copy(io.Discard, r)
		r.Close()
	}
}

// partOfNpy is a .npy file without its last rows.
func partOfNpy(t *testing.T) []byte {
	path := filepath.Join(t.TempDir(), "x.npy")
	const n, dim = 100_000, 2
	writeRows(t, path, Uint8, make([]byte, n*dim), dim, false)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data[:len(data)-10]
}

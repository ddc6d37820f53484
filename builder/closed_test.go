package builder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// TestClosedInput: a build of rows that are closed is an error, not a panic.
func TestClosedInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.npy")
	write(t, path, clustered(1, 300, 4), 4)
	in, err := vectors.Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	for _, m := range []builder.Method{builder.Exact, builder.Balls, builder.Paper} {
		_, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), in, builder.Options{K: 4, Method: m})
		if !errors.Is(err, os.ErrClosed) || errors.Is(err, vectors.ErrRows) {
			t.Errorf("%s: %v", m, err)
		}
	}
}

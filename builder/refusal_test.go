package builder_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

// TestMemoryNamesTheWayOut: where a method needs more memory than it may take the refusal names the
// method that needs less, or says that none does.
func TestMemoryNamesTheWayOut(t *testing.T) {
	defer builder.SmallParts(3<<20, 1<<19)()
	const dim = 4
	in := input(t, clustered(36, 60_000, dim), dim)
	for metric, wants := range map[distance.Metric]string{
		distance.IP: "method parts needs ",
		distance.L1: "method parts needs ",
	} {
		o := builder.Options{K: 100, Metric: metric, Method: builder.Balls, BadRows: builder.Isolate, Memory: 12 << 20}
		_, err := builder.Build(t.Context(), filepath.Join(t.TempDir(), "g"), in, o)
		if !errors.Is(err, builder.ErrMemory) || !strings.Contains(err.Error(), wants) {
			t.Errorf("%v: %v; want a refusal with %q", metric, err, wants)
		}
	}
}

// TestRefusedLeavesNothing: a method that does not take the rows, and ids of which two are the same, leave no folder
// that would refuse the right ones.
func TestRefusedLeavesNothing(t *testing.T) {
	const n, dim = 500, 16
	in := input(t, clustered(37, n, dim), dim)
	names := slices.Collect(strings.SplitSeq(strings.Repeat("a,", n-1)+"a", ","))
	for want, o := range map[error]builder.Options{
		builder.ErrMethod: {Method: builder.Tree},
		store.ErrIDs:      {Names: slices.Values(names)},
	} {
		dir := filepath.Join(t.TempDir(), "g")
		if _, err := builder.Build(t.Context(), dir, in, o); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if left, err := os.ReadDir(dir); err == nil {
			t.Errorf("%v: %v is left", want, left)
		}
	}
}

// TestNoDirectory: an empty path, as of a setting that was forgotten, is not the current folder.
func TestNoDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := builder.Build(t.Context(), "", input(t, clustered(3, 50, 4), 4), builder.Options{K: 3})
	if !errors.Is(err, store.ErrNotStore) {
		t.Errorf("%v, want ErrNotStore", err)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("%v, %v are left in the current folder", left, err)
	}
}

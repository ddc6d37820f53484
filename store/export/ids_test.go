package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/store"
)

// ID calls a row by its number.
func (g *graph) ID(row store.Row) (string, error) {
	if g.fail > 0 && int(row) == g.fail {
		return "", errDamaged
	}
	return fmt.Sprint("row ", row), nil
}

// namedGraph is a graph whose rows are called.
type namedGraph struct {
	*graph
	names []string
}

func (g namedGraph) ID(row store.Row) (string, error) {
	if int(row) >= len(g.names) {
		return "", fmt.Errorf("%w: %d", store.ErrNoID, row)
	}
	return g.names[row], nil
}

func TestIDsAreLinesInOrderOfRows(t *testing.T) {
	names := []string{"cat", "Ærø", " with spaces ", `"quoted", too`}
	path := filepath.Join(t.TempDir(), "g.ids")
	if err := Export(namedGraph{&graph{lists: make([][]uint32, 4)}, names}, path, Options{Format: IDs}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(string(data), "\n"); fmt.Sprint(got[:4]) != fmt.Sprint(names) || len(got) != 5 || got[4] != "" {
		t.Errorf("%q, want %q", got, names)
	}
}

// A graph without ids, or with too few, is an error that leaves no file.
func TestNoIDs(t *testing.T) {
	g := &graph{lists: make([][]uint32, 4)}
	for name, g := range map[string]Graph{"no names": struct{ Graph }{g}, "two names": namedGraph{g, []string{"a", "b"}}} {
		path := filepath.Join(t.TempDir(), "g.ids")
		if err := Export(g, path, Options{Format: IDs}); err == nil {
			t.Errorf("%s: exported", name)
		} else if _, missing := os.Stat(path); !errors.Is(missing, fs.ErrNotExist) {
			t.Errorf("%s: %v, and a file is left: %v", name, err, missing)
		}
	}
	o := Options{Format: IDs, Self: true}
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "leave Self out") {
		t.Errorf("Self with ids: %v", err)
	}
}

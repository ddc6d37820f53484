package store

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestCheckRows: rows that are as they were written pass, and others are damage, also where the seal is of them.
func TestCheckRows(t *testing.T) {
	sound, err := Open(unsound{}.sealed(t, 100), nil)
	must(t, err)
	must(t, sound.CheckRows(t.Context()))
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	cancel(why)
	if err := sound.CheckRows(ctx); !errors.Is(err, why) {
		t.Errorf("cancelled: %v", err)
	}
	must(t, sound.Close())
	if err := sound.CheckRows(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	changed, err := Open(unsound{before: func(t *testing.T, d *Draft) {
		rows, err := os.ReadFile(d.RowsPath())
		must(t, err)
		rows[len(rows)-1] ^= 1
		must(t, os.WriteFile(d.RowsPath(), rows, 0o666))
	}}.sealed(t, 100), nil)
	must(t, err)
	defer changed.Close()
	if err := changed.CheckRows(t.Context()); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "rows is not what was written") {
		t.Errorf("changed: %v", err)
	}
}

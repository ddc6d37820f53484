package export_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/knng/knng/store/export"
)

// TestVacant: no export takes the place of a link, a pipe, or something of the other kind, with or without force.
func TestVacant(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(path("file"), nil, 0o666), os.Mkdir(path("folder"), 0o777),
		os.Symlink("file", path("link")), os.Symlink("absent", path("dangling")), syscall.Mkfifo(path("pipe"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name          string
		force, folder bool
		want          error
	}{
		{"absent", false, false, nil}, {"absent", false, true, nil},
		{"file", false, false, fs.ErrExist}, {"file", true, false, nil}, {"file", true, true, export.ErrPlace},
		{"folder", false, true, fs.ErrExist}, {"folder", true, true, nil}, {"folder", true, false, export.ErrPlace},
		{"link", false, false, export.ErrPlace}, {"link", true, false, export.ErrPlace},
		{"dangling", true, false, export.ErrPlace}, {"pipe", false, false, export.ErrPlace}, {"pipe", true, false, export.ErrPlace},
	} {
		if err := export.Vacant(path(c.name), c.force, c.folder); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

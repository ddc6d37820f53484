package vectors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestUsageIsNotRefused: a path or an option that suits no input is a mistake of use, and only contents are
// refused.
func TestUsageIsNotRefused(t *testing.T) {
	dir := t.TempDir()
	rows, empty, folder := filepath.Join(dir, "rows.fbin"), filepath.Join(dir, "empty.npy"), filepath.Join(dir, "x.npy")
	text, folderOfText := filepath.Join(dir, "bad.csv"), filepath.Join(dir, "x.csv")
	err := errors.Join(os.WriteFile(rows, []byte("\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"), 0o666), os.WriteFile(empty, nil, 0o666), os.Mkdir(folder, 0o777),
		os.WriteFile(text, []byte("1,2\n3\n"), 0o666), os.Mkdir(folderOfText, 0o777))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths []string
		opts  OpenOptions
		want  error
	}{
		{nil, OpenOptions{}, ErrUsage},
		{[]string{rows}, OpenOptions{Limit: -1}, ErrUsage},
		{[]string{rows}, OpenOptions{Column: "a"}, ErrUsage},
		{[]string{rows}, OpenOptions{IDColumn: "a"}, ErrUsage},
		{[]string{text}, OpenOptions{Column: "a"}, ErrUsage},
		{[]string{text}, OpenOptions{IDColumn: "a"}, ErrUsage},
		{[]string{"-", "-"}, OpenOptions{}, ErrUsage},
		{[]string{"s3://bucket/x.npy"}, OpenOptions{}, ErrUsage},
		{[]string{"s3://bucket/x.csv"}, OpenOptions{}, ErrUsage},
		{[]string{folder}, OpenOptions{}, ErrUsage},
		{[]string{folderOfText}, OpenOptions{}, ErrUsage},
		{[]string{filepath.Join(dir, "absent.npy")}, OpenOptions{}, fs.ErrNotExist},
		{[]string{empty}, OpenOptions{}, ErrRows},
		{[]string{text}, OpenOptions{}, ErrRows},
		{[]string{rows, rows + ".png"}, OpenOptions{}, fs.ErrNotExist},
	} {
		c.opts.Scratch = dir
		_, err := Open(c.paths, &c.opts)
		for _, kind := range []error{ErrUsage, ErrRows, fs.ErrNotExist} {
			if errors.Is(err, kind) != (kind == c.want) {
				t.Errorf("%q, %+v: is %q: %t; %v", c.paths, c.opts, kind, errors.Is(err, kind), err)
			}
		}
	}
}

package aside_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/vectors/aside"
)

func Example() {
	dir, err := os.MkdirTemp("", "aside")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	f, err := aside.Create(filepath.Join(dir, "report.txt"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Abort() // after Commit it does nothing
	fmt.Fprintln(f, "all is well")
	if err := f.Commit(); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.txt"))
	fmt.Print(string(text), err)
	// Output:
	// all is well
	// <nil>
}

// files are the names in a folder and what they hold.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[e.Name()] = string(text)
	}
	return found
}

// TestNothingElseIsTouched: neither what has the name, until the file is whole, nor what
// has one like it.
func TestNothingElseIsTouched(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	before := map[string]string{"a": "old", "a.tmp": "mine"}
	for name, text := range before {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	same := func(want map[string]string) {
		t.Helper()
		if got := files(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	for _, settled := range []bool{false, true} {
		f, err := aside.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, "half")
		if settled {
			if err := f.Settle(); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Abort(); err != nil {
			t.Fatal(err)
		}
		same(before)
	}
	one, err := aside.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := aside.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(one, "one")
	fmt.Fprint(other, "other")
	if err := one.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir)["a"]; got != "one" {
		t.Errorf("%q, want that of the first", got)
	}
	if err := other.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := other.Abort(); err != nil {
		t.Fatal(err)
	}
	same(map[string]string{"a": "other", "a.tmp": "mine"})
}

// TestLongNames: a name as long as names may be can be made aside as well.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{strings.Repeat("x", 255), strings.Repeat("x", 238), strings.Repeat("猫", 85)} {
		f, err := aside.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if made := files(t, dir); len(made) != 3 {
		t.Errorf("%d files, want 3", len(made))
	}
}

// TestErrorsNameThePath: an error names the path that was asked for, not the temporary name.
func TestErrorsNameThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "x.npz")
	_, made := aside.Create(path)
	_, folder := aside.Mkdir(path)
	for _, err := range []error{made, folder} {
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path+":") {
			t.Errorf("%v, want the path %s", err, path)
		}
	}
}

package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// infoOf is the JSON of knng info, and its exit code and error.
func infoOf(t *testing.T, args ...string) (object map[string]any, code int, told string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"info", "--json"}, args...), strings.NewReader(""), &out, &errs)
	if code == exitDone {
		if err := json.Unmarshal(out.Bytes(), &object); err != nil {
			t.Fatal(err)
		}
	}
	return object, code, errs.String()
}

// TestInfoNamesCommands: a shell that is given the command that info prints passes the words that
// build must have, whatever the name of the file.
func TestInfoNamesCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		"a+b-1_.npy":     "knng build a+b-1_.npy -o a+b-1_.knng",
		"my rows.npy":    "knng build 'my rows.npy' -o 'my rows.knng'",
		"-o.npy":         "knng build ./-o.npy -o ./-o.knng",
		"-- x.npy":       "knng build './-- x.npy' -o './-- x.knng'",
		"it's.npy":       `knng build 'it'\''s.npy' -o 'it'\''s.knng'`,
		"$HOME.npy":      "knng build '$HOME.npy' -o '$HOME.knng'",
		"~.npy":          "knng build '~.npy' -o '~.knng'",
		"zw\u00f6lf.npy": "knng build 'zw\u00f6lf.npy' -o 'zw\u00f6lf.knng'",
	} {
		if runtime.GOOS == "windows" {
			want = strings.ReplaceAll(want, "'", `"`)
			if name == "it's.npy" {
				want = `knng build "it's.npy" -o "it's.knng"`
			}
		}
		if err := writeSome(name, 20, 3, ""); err != nil {
			t.Fatal(err)
		}
		object, code, told := infoOf(t, "--", name)
		if object["build"] != want {
			t.Errorf("%s: %v, want %s (exit code %d, %s)", name, object["build"], want, code, told)
			continue
		}
		sh, err := exec.LookPath("sh")
		if err != nil || runtime.GOOS == "windows" {
			continue
		}
		words, err := exec.Command(sh, "-c", strings.Replace(want, "knng", `printf '%s\n'`, 1)).Output()
		if err != nil {
			t.Fatal(err)
		}
		args := append(strings.Split(strings.TrimSpace(string(words)), "\n"), "-k", "2", "--quiet")
		var errs bytes.Buffer
		if code := run(args, strings.NewReader(""), io.Discard, &errs); code != exitDone || !exists(strings.TrimSuffix(name, ".npy")+".knng") {
			t.Errorf("%q: exit code %d, %s", args, code, &errs)
		}
	}
}

// TestInfoColumn: of a file of several matrices info describes the one that is named.
func TestInfoColumn(t *testing.T) {
	dir := t.TempDir()
	file, rows := filepath.Join(dir, "x.npz"), filepath.Join(dir, "x.npy")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for i, name := range []string{"a", "b c"} {
		if err := writeSome(rows, 20, 3+i, ""); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(rows)
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write(data)
		}
		if err := errors.Join(err, os.Remove(rows)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, code, told := infoOf(t, file); code != exitUsage || !strings.Contains(told, "--column") {
		t.Errorf("without a column: exit code %d, %s", code, told)
	}
	for name, dim := range map[string]float64{"a": 3, "b c": 4} {
		object, code, told := infoOf(t, file, "--column", name)
		build, _ := object["build"].(string)
		if object["dim"] != dim || !strings.HasSuffix(build, " --column "+quoted(name)) {
			t.Errorf("%s: %v (exit code %d, %s)", name, object, code, told)
		}
	}
	table := filepath.Join("internal", "parquet", "testdata", "list-float.parquet")
	if object, code, told := infoOf(t, table, "--column", "vec"); code != exitDone || object["rows"] == nil {
		t.Errorf("%v (exit code %d, %s)", object, code, told)
	}
	if _, code, told := infoOf(t, table, "--column", "name"); code == exitDone || !strings.Contains(told, "want a list of numbers") {
		t.Errorf("a column of strings: exit code %d, %s", code, told)
	}
	for _, args := range [][]string{{dir, "--column", "a"}, {filepath.Join(dir, "none"), "--column", "a"}} {
		if _, code, told := infoOf(t, args...); code != exitUsage {
			t.Errorf("%q: exit code %d, %s", args, code, told)
		}
	}
}

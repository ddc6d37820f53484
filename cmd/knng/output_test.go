package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHarmless: of ids and paths that strangers chose no terminal obeys anything, and no
// part passes for a line.
func TestHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ünïcode 猫\n\tas it is": "plain, ünïcode 猫\n\tas it is",
		"\x1b[31mred":                  `\u001b[31mred`,
		"a\rfake\x7f\u009b0m":          `a\u000dfake\u007f\u009b0m`,
		"\u202egnp.exe":                `\u202egnp.exe`,
		"latin \xe9":                   `latin \xe9`,
	} {
		if got := harmless(text, "\n\t"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := oneLine("a\nrow 7"); got != `a\u000arow 7` {
		t.Errorf("%q", got)
	}
}

// TestIDsAreHarmless: every command that prints ids, and the errors, print them so.
func TestIDsAreHarmless(t *testing.T) {
	dir := t.TempDir()
	rows, ids, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "ids\x1b[0m"), filepath.Join(dir, "x.knng")
	if err := writeSome(rows, 4, 3, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ids, []byte("\x1b[31mred\nb\rfake\nc\u009b\nd\u202e\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	for _, args := range [][]string{
		{"build", rows, "-o", graph, "-k", "2", "--ids", ids, "--quiet"},
		{"neighbors", graph, "0", "1", "2", "3"},
		{"neighbors", graph, "0", "1", "2", "3", "--json"},
		{"analyze", graph}, {"info", graph}, {"dump", graph},
	} {
		if code := run(args, nil, &out, &errs); code != exitDone {
			t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
		}
	}
	run([]string{"build", rows, "-o", filepath.Join(dir, "y"), "--ids", ids + "\x1b"}, nil, io.Discard, &errs)
	if s := out.String() + errs.String(); strings.ContainsAny(s, "\x1b\r\u009b\u202e") || !strings.Contains(s, `\u001b[31mred`) {
		t.Errorf("%q", s)
	}
}

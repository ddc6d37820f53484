package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/vectors"
)

// few are packages whose functions everyone knows, small enough for a test.
const few = "bytes,internal/stringslite,slices,sort,strings,unicode/utf8,unicode/utf16"

// demoOutput runs the demo on few packages and returns its exit code and output.
func demoOutput(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"demo", "--packages", few}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

type demoJSON struct {
	Dir     string         `json:"dir"`
	Already bool           `json:"already_finished"`
	Lists   []neighborList `json:"lists"`
	Build   struct {
		Rows     int     `json:"rows"`
		K        int     `json:"k"`
		Metric   string  `json:"metric"`
		Checksum string  `json:"checksum"`
		Recall   float64 `json:"recall"`
	} `json:"build"`
}

func demoObject(t *testing.T, args ...string) (d demoJSON) {
	t.Helper()
	code, out, errs := demoOutput(t, append(args, "--json")...)
	if code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return d
}

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	first := demoObject(t, "--dir", dir, "bytes.Index")
	if first.Already || first.Build.K != 10 || first.Build.Metric != "cosine" || first.Build.Rows < 300 || first.Build.Recall < 0.9 {
		t.Errorf("first run: %+v", first)
	}
	if len(first.Lists) != 1 || first.Lists[0].ID != "bytes.Index" || len(first.Lists[0].Neighbors) != 10 {
		t.Fatalf("lists %+v", first.Lists)
	}
	found := false
	for _, n := range first.Lists[0].Neighbors {
		found = found || n.ID == "strings.Index"
	}
	if !found {
		t.Errorf("strings.Index is not beside bytes.Index: %+v", first.Lists[0].Neighbors)
	}

	again := demoObject(t, "--dir", dir)
	if !again.Already || again.Build.Checksum != first.Build.Checksum || again.Dir != first.Dir {
		t.Errorf("second run: %+v, want what the first run built: %+v", again, first)
	}
	if len(again.Lists) < 3 || again.Lists[0].ID != wellKnown[0] || len(again.Lists[0].Neighbors) != wellKnownShown {
		t.Errorf("well-known functions: %+v", again.Lists)
	}
	if other := demoObject(t, "--dir", dir, "-k", "3"); other.Already || other.Dir == first.Dir {
		t.Errorf("another k uses %s again", other.Dir)
	}
	if elsewhere := demoObject(t, "--dir", t.TempDir(), "--threads", "1"); elsewhere.Build.Checksum != first.Build.Checksum {
		t.Error("another folder and one thread give another graph")
	}
}

func TestDemoText(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := demoOutput(t, "--dir", dir)
	if code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{"\nbytes.Index ", "  strings.Index\n", "\ngraph    " + dir, "\nrecall   ", " --id ", " --dir " + dir + " --packages " + few + " "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "already finished") || strings.Contains(out, " \n") {
		t.Errorf("output of the first run:\n%s", out)
	}
	if _, out, errs = demoOutput(t, "--dir", dir); !strings.Contains(out, "already finished") || errs != "" {
		t.Errorf("second run: %s\n%s", out, errs)
	}
	if _, out, _ = demoOutput(t, "--dir", dir, "--quiet"); strings.Contains(out, "graph ") || !strings.Contains(out, "bytes.Index") {
		t.Errorf("--quiet: %s", out)
	}
}

func TestDemoUsage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"builder.WRITESTR"}, `no function "builder.WRITESTR"`},
		{[]string{"DecodeRuneIn"}, "like it: unicode/utf8.DecodeRuneInString"},
		{[]string{"-k", "0"}, "-k is 0, want 1 or more"},
		{[]string{"--no-such-flag"}, "no-such-flag"},
	} {
		code, _, errs := demoOutput(t, append(c.args, "--dir", dir)...)
		if code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit code %d, %s", c.args, code, errs)
		}
	}
}

// TestDemoFolder: what is not whole is not there.
func TestDemoFolder(t *testing.T) {
	folder := demoFolder(t.TempDir())
	if err := os.Mkdir(folder.ids(), 0o777); err != nil { // stands in the way of a rename
		t.Fatal(err)
	}
	if err := folder.write(vectors.Float32, func(*vectors.Writer) error { return nil }); err == nil {
		t.Error("no error")
	}
	left, err := filepath.Glob(filepath.Join(string(folder), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("left %q, %v", left, err)
	}
	if exists(folder.vectors()) {
		t.Error("vectors without ids")
	}
	if got := fileName("devel go1.27-3a1 Mon/:x"); got != "devel_go1.27-3a1_Mon__x" {
		t.Errorf("file name %q", got)
	}
}

// TestDemoWithoutWellKnown shows some functions of packages that have no
// well-known one, and one function alone.
func TestDemoWithoutWellKnown(t *testing.T) {
	for packages, lists := range map[string]int{"container/...": 8, "errors": 6} {
		var out, errs bytes.Buffer
		code := run([]string{"demo", "--dir", t.TempDir(), "--packages", packages, "--json"}, strings.NewReader(""), &out, &errs)
		var d demoJSON
		if err := json.Unmarshal(out.Bytes(), &d); code != exitDone || err != nil {
			t.Fatalf("%s: exit code %d, %v: %s", packages, code, err, &errs)
		}
		if len(d.Lists) < min(lists, d.Build.Rows) {
			t.Errorf("%s: %d lists of %d rows", packages, len(d.Lists), d.Build.Rows)
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{"demo", "--dir", t.TempDir(), "--packages", "no/such"}, strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), `"no/such"`) {
		t.Errorf("no/such: exit code %d, %s", code, &errs)
	}
}

// TestDemoSample: without a Go tree the demo shows the embedded sample, as with --sample.
func TestDemoSample(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("GOROOT", "")
	dir := t.TempDir()
	var out, errs bytes.Buffer
	code := run([]string{"demo", "--dir", dir, "--progress", "plain"}, strings.NewReader(""), &out, &errs)
	if code != exitDone || !strings.Contains(errs.String(), "no Go tree here") {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	for _, want := range []string{"\nbytes.Index ", "  strings.Index\n", "1120 functions", "all were compared with all"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	out.Reset()
	if code := run([]string{"demo", "--dir", dir, "--sample", "strings.Fields"}, strings.NewReader(""), &out, &errs); code != exitDone || !strings.Contains(out.String(), "bytes.Fields") || !strings.Contains(out.String(), "already finished") {
		t.Errorf("exit code %d: %s", code, &out)
	}
	if code := run([]string{"demo", "--dir", dir, "--packages", "strings"}, strings.NewReader(""), &out, &errs); code != exitFailed {
		t.Errorf("--packages without a tree: exit code %d, want %d", code, exitFailed)
	}
	if code := run([]string{"demo", "--sample", "--packages", "strings"}, strings.NewReader(""), &out, &errs); code != exitUsage {
		t.Errorf("--sample --packages: exit code %d, want %d", code, exitUsage)
	}
}

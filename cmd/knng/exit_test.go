package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
)

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g")
	bad, text, wide := filepath.Join(dir, "nan.npy"), filepath.Join(dir, "text"), filepath.Join(dir, "wide.npy")
	if err := errors.Join(writeSome(rows, 100, 3, ""), writeSome(wide, 9, 4, ""), writeSome(bad, 100, 3, "nan"), os.WriteFile(text, []byte("a\nb\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want int
		args string
	}{
		{exitDone, "build ROWS -o DIR -k 4"},
		{exitDone, "build ROWS -o DIR -k 4"},
		{exitDone, "check DIR"},
		{exitUsage, "build ROWS -o DIR -k 5"},
		{exitUsage, "build ROWS"},
		{exitUsage, "build ROWS -o DIR2 -k 0x"},
		{exitUsage, "build ROWS -o DIR2 -k 0"},
		{exitUsage, "build ROWS -o DIR2 --limit-rows -1"},
		{exitUsage, "recall DIR --truth-distances feet"},
		{exitUsage, "neighbors DIR"},
		{exitUsage, "nonsense"},
		{exitUsage, "build ROWS -o DIR6 -k 4 --metric hamming"},
		{exitUsage, "build ROWS -o DIR6 -k 4 --metric hamming --bits"},
		{exitUsage, "plan ROWS -k 4 --metric jaccard --bits"},
		{exitUsage, "plan ROWS -k 4 --metric ip --cluster 2x2"},
		{exitUsage, "stage begin ROWS -o DIR6 -k 4 --metric ip"},
		{exitResumable, "build ROWS -o DIR3 --memory 1M"},
		{exitShort, "build ROWS -o DIR5 -k 4 --method balls --leaf-size 8 --divisions 1 --propagation off --recall 0.999"},
		{exitShort, "build ROWS -o DIR5 -k 4 --method balls --leaf-size 8 --divisions 1 --propagation off --recall 0.999"},
		{exitDone, "check DIR5"},
		{exitRefused, "neighbors DIR 100"},
		{exitRefused, "neighbors DIR --id cat.jpg"},
		{exitRefused, "build NAN -o DIR7 -k 4"},
		{exitRefused, "build TEXT -o DIR7 -k 4"},
		{exitRefused, "build ROWS -o DIR7 -k 4 --ids TEXT"},
		{exitRefused, "search DIR NAN"},
		{exitRefused, "search DIR WIDE"},
		{exitRefused, "recall DIR --queries WIDE"},
		{exitDone, "info ROWS"},
		{exitRefused, "info TEXT"},
		{exitUsage, "build ROWS -o DIR7 -k 4 --column x"},
		{exitUsage, "build ROWS -o DIR7 -k 4 --id-column x"},
		{exitUsage, "build - - -o DIR7 -k 4"},
		{exitUsage, "build DIR -o DIR7 -k 4"},
		{exitUsage, "build s3://bucket/x.npy -o DIR7 -k 4"},
		{exitUsage, "export DIR -o NAN"},
		{exitUsage, "export DIR -o NAN --format csv"},
		{exitUsage, "export DIR -o NAN --format parquet"},
		{exitUsage, "convert ROWS -o NAN"},
		{exitUsage, "search DIR ROWS -o NAN"},
		{exitUsage, "analyze DIR --plot NAN"},
		{exitUsage, "analyze DIR --affinity NAN"},
		{exitUsage, "help foo"},
		{exitUsage, "help build foo"},
		{exitUsage, "completion foo"},
		{exitUsage, "completion bash foo"},
		{exitUsage, "stage foo"},
		{exitDone, "completion"},
		{exitDone, "help completion bash"},
		{exitUsage, "neighbors ROWS 1"},
		{exitUsage, "search ROWS ROWS"},
		{exitUsage, "append ROWS ROWS"},
		{exitUsage, "delete ROWS 1"},
		{exitUsage, "compact ROWS"},
		{exitUsage, "check ROWS"},
		{exitUsage, "recall ROWS"},
		{exitUsage, "export ROWS -o DIR9.gt"},
		{exitUsage, "analyze ROWS"},
		{exitUsage, "explore ROWS"},
		{exitUsage, "refine ROWS -o DIR9 --distance rank-order"},
		{exitUsage, "merge ROWS ROWS -o DIR9"},
		{exitUsage, "backup ROWS -o DIR9"},
		{exitUsage, "dump ROWS"},
		{exitUsage, "build ROWS -o ROWS"},
		{exitUsage, "build ROWS.gz -o ROWS"},
		{exitDone, "help exit-codes"},
		{exitDone, "help build"},
		{exitDone, "build WIDE -o DIR8 -k 2"},
		{exitRefused, "merge DIR DIR8 -o DIR9"},
		{exitDone, "append DIR8 WIDE"},
		{exitRefused, "append DIR8 ROWS"},
		{exitDone, "analyze DIR8"},
		{exitUsage, "analyze DIR8 --reverse"},
		{exitUsage, "explore DIR8 --listen nowhere"},
		{exitUsage, "dump DIR8"},
		{exitUsage, "export DIR8 -o DIR9.gt"},
		{exitRefused, "search DIR8 WIDE --filter-ids TEXT"},
		{exitUsage, "build absent.npy -o DIR4"},
		{exitUsage, "build absent*.npy -o DIR4"},
		{exitUsage, "build absent.h5ad -o DIR4"},
		{exitUsage, "check DIR4"},
		{exitUsage, "dump DIR4"},
	} {
		args := strings.Fields(strings.NewReplacer("ROWS", rows, "DIR", graph, "NAN", bad, "TEXT", text, "WIDE", wide).Replace(c.args))
		var errs bytes.Buffer
		if got := run(args, nil, io.Discard, &errs); got != c.want {
			t.Errorf("%s: exit code %d, want %d: %s", c.args, got, c.want, &errs)
		}
	}
	if err := os.WriteFile(filepath.Join(graph, "extra"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := run([]string{"check", graph}, nil, io.Discard, io.Discard); got != exitFailed {
		t.Errorf("check of a damaged store: exit code %d", got)
	}
}

// TestExitCodeOfKind: each kind of mistake has the code that help has for it, by whatever command it is made.
func TestExitCodeOfKind(t *testing.T) {
	t.Chdir(t.TempDir())
	err := errors.Join(writeSome("x.npy", 100, 3, ""), writeSome("wide.npy", 20, 16, ""), writeSome("large.npy", 9, 3, "large"),
		os.MkdirAll("folder/other", 0o777), os.WriteFile("text", []byte("0\nx\n"), 0o666), os.WriteFile("lists", make([]byte, 99), 0o666),
		os.WriteFile("all", []byte("0\n1\n"), 0o666), writeSome("two.npy", 2, 3, ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"build x.npy -o g -k 4", "build two.npy -o dead -k 1", "delete dead --rows all", "refine g -o ranked --distance rank-order"} {
		if code := run(strings.Fields(args+" --quiet"), nil, io.Discard, os.Stderr); code != exitDone {
			t.Fatalf("%s: exit code %d", args, code)
		}
	}
	draft, err := store.OpenDraft("begun", store.Manifest{Rows: 100, Dim: 3, Type: "float32", K: 4, Metric: "euclidean", Vectors: "copy"}, nil)
	if err == nil {
		err = draft.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []struct {
		name, says string
		code       int
		commands   []string
	}{
		{"output into other files", "other files", exitUsage, []string{"build x.npy -o .", "build x.npy -o folder", "refine g -o folder --vectors x.npy"}},
		{"output that is there", "folder", exitUsage, []string{"merge g -o folder", "backup g -o folder", "unite folder -o new", "export g -o folder/other"}},
		{"folder in place of a text", "folder", exitUsage, []string{
			"build x.npy -o new --ids folder", "append g x.npy --ids folder", "delete g --ids folder", "delete g --rows folder", "search g x.npy --filter-ids folder",
			"search dead x.npy --filter-ids folder", "recall g --truth folder --rows folder", "explore g --labels folder", "explore g --text folder"}},
		{"file in place of a folder", "x.npy", exitUsage, []string{"explore g --images x.npy", "unite x.npy -o new", "demo --dir x.npy"}},
		{"no finished graph", "", exitUsage, []string{"check absent", "check begun", "neighbors absent 1", "export begun -o new.npz", "check folder", "search folder x.npy", "append absent x.npy", "merge absent -o new"}},
		{"distance not of rows", "ranked: ", exitUsage, []string{
			"search ranked x.npy", "search ranked --row 3", "append ranked x.npy", "delete ranked 0", "compact ranked", "merge ranked ranked -o new", "recall ranked",
			"recall ranked --queries x.npy", "recall ranked --truth lists --rows lists"}},
		{"option against the rows or the method", "", exitUsage, []string{"build wide.npy -o new -k 2 --method tree", "demo --dir demo --packages no/such"}},
		{"option by its flag", "-k is 600, want 1 to 512", exitUsage, []string{"plan x.npy --cluster 2x2 -k 600", "build x.npy -o new --method parts -k 600"}},
		{"value that a type does not hold", "row 0", exitRefused, []string{"convert large.npy -o new.u8bin --type uint8", "convert large.npy -o new.npy --type float16"}},
		{"damaged lists", "lists", exitRefused, []string{"recall g --truth lists --rows lists"}},
		{"lines that name no row", "text: line 2: ", exitRefused, []string{"delete g --rows text", "search g x.npy --filter-ids text"}},
		{"lines of another number", "2 lines", exitRefused, []string{"explore g --labels text", "explore g --text text", "build x.npy -o new --ids text"}},
		{"no rows", "row", exitRefused, []string{"merge dead dead -o new"}},
		{"no such part", "no such", exitRefused, []string{"dump g record/none", "dump g id/none", "dump g place/100", "dump g row/9999"}},
	} {
		for _, command := range kind.commands {
			var errs bytes.Buffer
			if code := run(strings.Fields(command), nil, io.Discard, &errs); code != kind.code || !strings.Contains(errs.String(), kind.says) {
				t.Errorf("%s: %s: exit code %d, want %d and %q: %s", kind.name, command, code, kind.code, kind.says, &errs)
			}
		}
	}
}

// TestEmptyArgument: an argument that is empty is named, by each command that takes one, and is no path.
func TestEmptyArgument(t *testing.T) {
	for _, args := range [][]string{
		{"export", "", "-o", "x.csv"}, {"backup", "", "-o", "b"}, {"info", ""}, {"check", ""}, {"neighbors", "", "1"}, {"append", "", "x.npy"}, {"merge", "g", "", "-o", "m"},
		{"build", "", "-o", "g"}, {"search", "g", ""}, {"unite", "", "-o", "g"},
	} {
		var errs bytes.Buffer
		if code := run(args, nil, io.Discard, &errs); code != exitUsage || !strings.Contains(errs.String(), " is empty; usage: knng "+args[0]) {
			t.Errorf("%q: exit code %d: %s", args, code, &errs)
		}
	}
	var errs bytes.Buffer
	if run([]string{"export", "", "-o", "x.csv"}, nil, io.Discard, &errs); !strings.HasPrefix(errs.String(), "knng: DIR is empty; usage: knng export DIR -o PATH") {
		t.Error(errs.String())
	}
}

// TestLocked: where another process builds has a code of its own.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g")
	if err := writeSome(rows, 100, 3, ""); err != nil {
		t.Fatal(err)
	}
	draft, err := store.OpenDraft(graph, store.Manifest{Rows: 100, Dim: 3, Type: "float32", K: 4, Metric: "euclidean", Vectors: "copy"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer draft.Close()
	if got := run([]string{"info", graph}, nil, io.Discard, io.Discard); got != exitLocked {
		t.Errorf("info of one that has told nothing: exit code %d, want %d", got, exitLocked)
	}
	told := builder.Told{Phase: "division 2\x1b", Done: 3, Total: 8, Unit: "rows", Share: 0.25, Left: 90, Seconds: 30, Memory: 5 << 20, Disk: 100, Recall: 0.8714, Asked: 0.95}
	if err := draft.Tell(told); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if got := run([]string{"info", graph}, nil, &out, io.Discard); got != exitDone {
		t.Errorf("info: exit code %d, want %d", got, exitDone)
	}
	for _, want := range []string{"a build is running here", "25 % in 30 s, 90 s left", `division 2\u001b: 3 of 8 rows`, "recall     0.8714 so far, 0.95 asked for", "5.0 MiB anonymous; disk 100 bytes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in: %s", want, &out)
		}
	}
	out.Reset()
	if run([]string{"info", graph, "--json"}, nil, &out, io.Discard); !strings.Contains(out.String(), `"left_seconds": 90`) || !strings.Contains(out.String(), `"running": true`) {
		t.Error(out.String())
	}
	if err := draft.Tell(builder.Told{Share: 0.25, Left: 90, Seconds: 30}); err != nil { // that has just gone on
		t.Fatal(err)
	}
	out.Reset()
	if run([]string{"info", graph}, nil, &out, io.Discard); !strings.Contains(out.String(), "25 % in 30 s") || strings.Contains(out.String(), "phase") {
		t.Errorf("of no phase: %s", &out)
	}
	var errs bytes.Buffer
	if got := run([]string{"build", rows, "-o", graph, "-k", "4"}, nil, io.Discard, &errs); got != exitLocked || !strings.Contains(errs.String(), "is held by process") {
		t.Errorf("exit code %d, want %d: %s", got, exitLocked, &errs)
	}
}

// TestFlagsOfOptions: every option with a fault of its own has a flag of build, by which the command calls it.
func TestFlagsOfOptions(t *testing.T) {
	o := builder.Options{K: -1, Method: "x", Recall: 2, Divisions: -1, Rounds: -1, LeafSize: 1, BadRows: "x", Duplicates: "x", Copies: -1, Threads: -1,
		Paper: builder.PaperOptions{Trigger: 2, Visits: -1, Sample: 1, Directions: "x"}}
	build, _, err := newRoot(new(globals)).Find([]string{"build"})
	if err != nil {
		t.Fatal(err)
	}
	faults := strings.Split(byFlags(build, o.Validate()).Error(), "\n")
	if len(faults) != 14 {
		t.Errorf("%d faults, want 14", len(faults))
	}
	for _, fault := range faults {
		if !strings.HasPrefix(fault, "-") {
			t.Errorf("%q names no flag", fault)
		}
	}
}

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sparseFile is a matrix of 3 rows of 5 columns as scipy.sparse.save_npz writes it, of which
// row 1 has no values.
//
//go:embed testdata/sparse.npz
var sparseFile []byte

// makeSparse is a command of the scripts: makesparse FILE writes that matrix.
func makeSparse() {
	if err := os.WriteFile(os.Args[1], sparseFile, 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestSparseRefused: commands that need vectors, and options that sparse rows do not have,
// end with exit code 2 and make nothing.
func TestSparseRefused(t *testing.T) {
	dir := t.TempDir()
	file, graph, none := filepath.Join(dir, "x.npz"), filepath.Join(dir, "g"), filepath.Join(dir, "none")
	ids := filepath.Join(dir, "ids")
	for path, data := range map[string][]byte{file: sparseFile, ids: []byte("0\n")} {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := run([]string{"build", file, "-o", graph, "-k", "2", "--metric", "ip"}, nil, io.Discard, io.Discard); got != exitDone {
		t.Fatalf("build: exit code %d", got)
	}
	for line, want := range map[string]string{
		"search " + graph + " " + ids:                                       "is no sparse matrix",
		"search " + graph + " --row 0 --recall 0.9":                         "are exact",
		"compact " + graph:                                                  "not for sparse rows",
		"delete " + graph + " --ids " + ids:                                 "not for sparse rows",
		"refine " + graph + " -o " + none + " --distance rank-order":        "not for sparse rows",
		"recall " + graph + " --queries " + file:                            "not for sparse rows",
		"build " + file + " -o " + none:                                     "--metric is euclidean, want cosine or ip for sparse rows",
		"build " + file + " -o " + none + " --metric cosine --method paper": `--method is "paper", want auto or exact for sparse rows`,
		"build " + file + " " + file + " -o " + none + " --metric cosine":   "these are 2 inputs: join them by scipy.sparse.vstack",
		"plan " + file: "--metric is euclidean, want cosine or ip for sparse rows",
		"build " + file + " -o " + none + " --metric ip --rounds 2 --duplicates collapse": "--rounds is 2, want none for sparse rows: all pairs are compared\n--duplicates is \"collapse\", want keep",
		"merge " + graph + " -o " + none:                                         "the graph is of a sparse matrix of 5 columns, which is looked up, searched and exported, but not written to, merged or refined",
		"build " + file + " -o " + none + " --metric cosine --vectors reference": "the store copies sparse rows",
		"build " + file + " -o " + none + " --metric cosine --column data":       "a sparse matrix has none",
		"plan " + file + " --metric cosine --cluster 2x2":                        "built by one machine",
		"build " + file + " -o " + graph + " -k 1 --metric ip":                   "k: 2 there, 1 asked",
	} {
		var errs bytes.Buffer
		if got := run(strings.Fields(line), nil, io.Discard, &errs); got != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, want %d with %q: %s", line, got, exitUsage, want, &errs)
		}
	}
	if exists(none) {
		t.Error("something was made")
	}
}

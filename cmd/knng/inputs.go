package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/knng/knng/cmd/knng/internal/parquet"
	"github.com/knng/knng/vectors"
)

// inputFormats are the formats that the command reads beside those of package vectors.
var inputFormats = map[string]vectors.Format{".parquet": parquet.Stream}

// leftToPython are formats that the command knows and does not read, with the line of Python that
// writes the rows of one in a format that it reads.
//
// HDF5 has no well-kept reader in pure Go. Arrow has one, arrow-go, at the price of six more
// modules in every binary. Whoever has such a file has h5py or pyarrow beside it, which made
// it, and the Python package reads both through them, batch by batch.
var leftToPython = map[string]string{
	".h5ad":    "numpy.save('ROWS.npy', anndata.read_h5ad('FILE').obsm['X_pca'])",
	".h5":      "numpy.save('ROWS.npy', h5py.File('FILE')['NAME'][:])",
	".hdf5":    "numpy.save('ROWS.npy', h5py.File('FILE')['NAME'][:])",
	".arrow":   arrowAsParquet,
	".feather": arrowAsParquet,
	".ipc":     arrowAsParquet,
}

const arrowAsParquet = "pyarrow.parquet.write_table(pyarrow.feather.read_table('FILE'), 'ROWS.parquet')"

// pythonError refuses a file that is left to Python, with the line that builds its graph there,
// where a graph is asked for, and the one that saves its rows in a format that the command reads.
type pythonError struct{ path, ext, build, save string }

func (e *pythonError) Error() string {
	text := fmt.Sprintf("%s: only the Python package reads %s: ", e.path, e.ext)
	if e.build != "" {
		text += e.build + "; or "
	}
	return text + "save its rows first: " + e.save
}

// byPython refuses a file that is left to Python.
func byPython(path string) error {
	ext := filepath.Ext(path)
	save, ok := leftToPython[strings.ToLower(ext)]
	if !ok {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return absent(fmt.Errorf("%s: %w", path, errors.Unwrap(err)))
	}
	base := strings.TrimSuffix(filepath.Base(path), ext)
	save = strings.NewReplacer("FILE", path, "ROWS", base).Replace(save)
	return &pythonError{path: path, ext: ext, save: save}
}

// inPython returns the build of inputs into out as a line of Python, with the flags that were
// given and with k, whose default is another in Python.
func inPython(c *cobra.Command, inputs []string, out string) string {
	rows := pythonText(inputs[0])
	if len(inputs) > 1 {
		list := make([]string, len(inputs))
		for i, path := range inputs {
			list[i] = pythonText(path)
		}
		rows = "[" + strings.Join(list, ", ") + "]"
	}
	line := rows + ", " + pythonText(out) + ", k=" + c.Flag("k").Value.String()
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Changed || f.Name == "k" || f.Name == "output" {
			return
		}
		value := f.Value.String()
		switch f.Value.Type() {
		case "bool":
			value = strings.ToUpper(value[:1]) + value[1:]
		case "string":
			value = pythonText(value)
		}
		line += ", " + strings.ReplaceAll(f.Name, "-", "_") + "=" + value
	})
	return "python -c \"import knng; knng.build(" + line + ")\""
}

// pythonText is a text as Python has it within the double quotes of a shell.
func pythonText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\\\`, "'", `\\'`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + "'"
}

// columns are the flags that name columns of files which hold more than vectors.
type columns struct {
	vectors, ids string
	header       header
}

func (c *columns) bind(f *pflag.FlagSet) {
	f.StringVar(&c.vectors, "column", "", columnUsage)
	f.StringVar(&c.ids, "id-column", "", "column of ids in .csv, .tsv or .txt, which is left out; also its number, from 1")
	c.header.bind(f)
}

// options are those of opening a file whose ids are not read.
func (c *columns) options() vectors.OpenOptions {
	return vectors.OpenOptions{Column: c.vectors, IDColumn: c.ids, Header: c.header.value}
}

// header is the flag --header, true or false where it is given.
type header struct{ value *bool }

func (h *header) bind(f *pflag.FlagSet) {
	f.Var(h, "header", "the first line of .csv, .tsv and .txt has names, --header=false a row (default: names if a field is no number)")
	f.Lookup("header").NoOptDefVal = "true"
}

func (h *header) String() string {
	if h.value == nil {
		return ""
	}
	return strconv.FormatBool(*h.value)
}

func (h *header) Set(text string) error {
	value, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("want true or false")
	}
	h.value = &value
	return nil
}

func (h *header) Type() string { return "bool" }

// suits refuses vectors of another dimension than those of a graph.
func suits(in *vectors.Input, dim int, paths []string) error {
	if in.Dim() == dim {
		return nil
	}
	return vectors.Refused(fmt.Errorf("%s: rows of %d elements, the graph's have %d", shownNames(paths), in.Dim(), dim))
}

// shownNames are inputs as errors name them.
func shownNames(paths []string) string {
	shown := slices.Clone(paths)
	for i, path := range shown {
		if path == "-" {
			shown[i] = "stdin"
		}
	}
	return strings.Join(shown, ", ")
}

// expand replaces patterns such as part-*.parquet, which not every shell expands, by the
// files that match, in order of their names. A file of just that name goes first.
func expand(paths []string) (files []string, err error) {
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil || !strings.ContainsAny(path, "*?[") {
			files = append(files, path)
			continue
		}
		found, err := filepath.Glob(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(found) == 0 {
			return nil, usageError{fmt.Errorf("%s: no file matches this pattern", path)}
		}
		files = append(files, found...)
	}
	return files, nil
}

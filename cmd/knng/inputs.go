package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

// byPython refuses a file that is left to Python with the line that builds its graph, and the
// one that writes its rows in a format that the command reads.
func byPython(path string) error {
	ext := filepath.Ext(path)
	convert, ok := leftToPython[strings.ToLower(ext)]
	if !ok {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(path), ext)
	convert = strings.NewReplacer("FILE", path, "ROWS", base).Replace(convert)
	return fmt.Errorf("%s: the Python package reads %s: python -c \"import knng; knng.build('%s', '%s.knng', k=15)\"; without it: %s", path, ext, path, base, convert)
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
			return nil, fmt.Errorf("%s: no file matches this pattern", path)
		}
		files = append(files, found...)
	}
	return files, nil
}

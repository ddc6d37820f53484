package vectors

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Archives of NumPy: a zip of .npy files, of which one array of two dimensions is read.

func archived(name string) bool { return strings.ToLower(filepath.Ext(name)) == ".npz" }

// array opens the array of an archive that is called column; "" is the only one of two
// dimensions.
func (s *rowStream) array(path, column string) (io.Reader, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, z.Close)
	var names []string
	var matrices []*zip.File
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		names = append(names, name)
		if name == column {
			return s.member(f)
		}
		if column == "" && isMatrix(f) {
			matrices = append(matrices, f)
		}
	}
	slices.Sort(names)
	switch {
	case slices.Contains(names, "indptr") && slices.Contains(names, "data"):
		return nil, errors.New("a sparse matrix of SciPy, which is built alone (knng build), and searched for in such a graph: for all else save it as rows of numbers by numpy.save('x.npy', scipy.sparse.load_npz('x.npz').toarray())")
	case len(matrices) == 1:
		return s.member(matrices[0])
	case column != "":
		return nil, Misused(fmt.Errorf("no array %q: it has %s", column, strings.Join(names, ", ")))
	case len(matrices) == 0:
		return nil, fmt.Errorf("no array of two dimensions: it has %s", strings.Join(names, ", "))
	}
	return nil, Misused(fmt.Errorf("%d arrays of two dimensions: choose one by --column; it has %s", len(matrices), strings.Join(names, ", ")))
}

func (s *rowStream) member(f *zip.File) (io.Reader, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	s.closers = append(s.closers, r.Close)
	return r, nil
}

// isMatrix reports whether a member is an array of two dimensions, of whatever elements.
func isMatrix(f *zip.File) bool {
	r, err := f.Open()
	if err != nil {
		return false
	}
	defer r.Close()
	head, _ := bufio.NewReaderSize(r, headerBytes).Peek(headerBytes)
	h, err := readNpyHeader(head)
	return err == nil && len(h.shape) == 2
}

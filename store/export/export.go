package export

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knng/knng/store"
)

// Graph is the input of an export; *store.Store is one, and Store.Under(ctx) one whose
// passes end with a context.
type Graph interface {
	// Len is the number of rows, K the length of a list.
	Len() int
	K() int
	// EachKeyed calls fn for every row in order, with neighbors and keys that
	// are valid during the call; isolated rows have none.
	EachKeyed(fn func(row store.Row, neighbors []uint32, keys []float32) error) error
	// Shown turns a key into the distance that people see.
	Shown(key float32) float32
}

var _ Graph = (*store.Store)(nil)

// Format names a file format; see the package comment.
type Format string

// The formats.
const (
	NPY   Format = "npy"
	NPZ   Format = "npz"
	GT    Format = "gt"
	IBin  Format = "ibin"
	IVecs Format = "ivecs"
	CSV   Format = "csv"
	IDs   Format = "ids"

	GraphML  Format = "graphml"
	GEXF     Format = "gexf"
	METIS    Format = "metis"
	EdgeList Format = "edgelist"
)

// Formats are all that Export writes.
var Formats = []Format{NPY, NPZ, GT, IBin, IVecs, CSV, IDs, GraphML, GEXF, METIS, EdgeList}

// drawn reports whether a format is one of nodes and edges.
func (f Format) drawn() bool { return f == GraphML || f == GEXF || f == METIS || f == EdgeList }

// Symmetric is the symmetric graph that npz, csv and the formats of nodes and edges hold in
// place of the lists. A pair that is in both rows' lists is one entry of each row, with the
// smaller distance.
type Symmetric string

// Kinds of symmetric graphs.
const (
	Directed Symmetric = ""       // the lists as they are
	Union    Symmetric = "union"  // a pair where either lists the other
	Mutual   Symmetric = "mutual" // a pair where each lists the other
)

// Options of an export. A Format must be given; all else has a use at zero.
type Options struct {
	Format    Format    // one of Formats
	Self      bool      // the row itself first, at distance 0, as UMAP's precomputed_knn wants it; not under ip
	Symmetric Symmetric // in place of the lists
	Force     bool      // replace what is at the path
	Memory    int64     // bytes for the entries of a symmetric graph, 12 each and 24 a row: a pass does as many; 0 is 256 MiB
}

// Validate reports every fault at once.
func (o *Options) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf("export: "+format, args...)) }
	if !slices.Contains(Formats, o.Format) {
		fault("format %q, want %s", o.Format, listed(Formats))
	}
	if o.Self && o.Format == IDs {
		fault("ids holds no lists that a row could lead: leave Self out")
	}
	if o.Self && o.Format.drawn() {
		fault("%s has edges between rows, and the row itself would be a loop: leave Self out", o.Format)
	}
	if o.Format == METIS && o.Symmetric == Directed {
		fault("metis holds undirected graphs only: want symmetric union or mutual")
	}
	if !slices.Contains([]Symmetric{Directed, Union, Mutual}, o.Symmetric) {
		fault("symmetric %q, want union or mutual", o.Symmetric)
	}
	if o.Symmetric != Directed && o.Format != NPZ && o.Format != CSV && !o.Format.drawn() {
		fault("%s holds lists of one length; a symmetric graph needs npz, csv, graphml, gexf, metis or edgelist", o.Format)
	}
	if o.Memory < 0 {
		fault("memory of %d bytes", o.Memory)
	}
	return errors.Join(errs...)
}

// Export writes g to path. An existing file is an error that matches
// fs.ErrExist, unless Force; a link, a device or a pipe is ErrPlace. On an error, path is as it was; with Force the two files of
// npy and ibin are replaced one after the other, and rows.npy of an earlier graph is removed. An error of g ends it.
// A path in the folder of the store that g is, which is sealed as a whole, is an error. Errors of the system are as they
// come: store.NoSpace tests for a full disk.
func Export(g Graph, path string, o Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if err := o.selfIsNearest(g); err != nil {
		return err
	}
	path = filepath.Clean(path) // beside which files are written first
	if s, ok := g.(interface{ Dir() string }); ok && store.Holds(s.Dir(), path) {
		return fmt.Errorf("export: %s is in the store %s, which is sealed: want a path outside", path, s.Dir())
	}
	if g.Len() > math.MaxInt32 && (o.Format == GT || o.Format == IBin || o.Format == IVecs) {
		return fmt.Errorf("export: %d rows: %s numbers them with 31 bits; npy, npz and csv hold more", g.Len(), o.Format)
	}
	n, numbered := g.(Numbered)
	if numbered && o.Format == GT {
		return ErrKeys
	}
	x := &exporter{Graph: g, Options: o, wide: g.Len() > math.MaxInt32}
	files := x.files(path)
	free := func() error { return vacant(o, path, files) }
	if err := free(); err != nil { // before all the work, and again after it
		return err
	}
	if numbered && x.passes() {
		k, err := keep(n, path+".lists")
		if err != nil {
			return err
		}
		defer k.lists.remove()
		x.Graph = k
	}
	if o.Symmetric != Directed {
		s, err := x.symmetrise(path + ".edges")
		if err != nil {
			return err
		}
		defer s.remove()
		x.symmetric = s
	}
	if o.Format == NPY {
		return publishFolder(path, files, free)
	}
	return publish(files, free)
}

// passes reports whether an export goes over the lists more than once.
func (x *exporter) passes() bool {
	return x.Symmetric != Directed || x.Format == NPY || x.Format == NPZ || x.Format == IBin
}

// file is one file of an export and how it is written. Errors of the writer
// stay with it until it is flushed.
type file struct {
	path  string // for npy relative to the folder
	write func(w *bufio.Writer) error
}

// files are those of the format.
func (x *exporter) files(path string) []file {
	switch x.Format {
	case NPY:
		files := []file{{"indices.npy", x.npyIndices}, {"distances.npy", x.npyDistances}}
		if _, ok := x.Graph.(Numbered); ok {
			files = append(files, file{numbersFile, x.npyNumbers})
		}
		return files
	case NPZ:
		return []file{{path, x.npz}}
	case GT:
		return []file{{path, x.gt}}
	case IBin:
		return []file{{path, x.ibin}, {besideIBin(path), x.fbin}}
	case IVecs:
		return []file{{path, x.ivecs}}
	case IDs:
		return []file{{path, x.ids}}
	case GraphML:
		return []file{{path, x.graphML}}
	case GEXF:
		return []file{{path, x.gexf}}
	case METIS:
		return []file{{path, x.metis}}
	case EdgeList:
		return []file{{path, x.edgeList}}
	}
	return []file{{path, x.csv}}
}

func besideIBin(path string) string { return strings.TrimSuffix(path, ".ibin") + ".fbin" }

// vacant refuses to overwrite files. Force replaces files, not a folder
// by a file or the other way round.
func vacant(o Options, path string, files []file) error {
	paths := []string{path}
	if o.Format == IBin {
		paths = append(paths, files[1].path)
	}
	_, err := os.Lstat(path)
	named := err == nil
	for _, p := range paths {
		if _, err := os.Lstat(p); err == nil && o.Force && p != path && !named {
			return fmt.Errorf("export: %s, which would hold the distances, is there without %s, so it is something else's: want another name", p, path)
		}
		if err := Vacant(p, o.Force, o.Format == NPY); err != nil {
			return err
		}
	}
	if o.Format != NPY {
		return nil
	}
	for _, f := range files {
		if err := Vacant(filepath.Join(path, f.path), true, false); err != nil {
			return err
		}
	}
	return nil
}

// ErrPlace says that an export would take the place of something that Force does not replace: of a link, a device or a pipe, or
// of a folder by a file, or the other way round. An export is written aside, and has its name only when it is whole.
var ErrPlace = errors.New("export: not replaced")

// Vacant is nil where a file, or a folder, can be written at a path: where nothing is there, or, with force, one of that kind.
// Errors: fs.ErrExist; ErrPlace; those of the system.
func Vacant(path string, force, folder bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("export: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %s is a link: want the name of the file itself", ErrPlace, path)
	case !info.IsDir() && !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is a device or a pipe: want the name of a file", ErrPlace, path)
	case info.IsDir() && !folder:
		return fmt.Errorf("%w: %s is a folder, want the name of a file: %w", ErrPlace, path, fs.ErrExist)
	case !info.IsDir() && folder:
		return fmt.Errorf("%w: %s is a file, want the name of a folder: %w", ErrPlace, path, fs.ErrExist)
	case !force:
		return fmt.Errorf("export: %s: %w", path, fs.ErrExist)
	}
	return nil
}

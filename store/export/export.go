// Package export writes finished graphs in the formats of other tools.
package export

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/knng/knng/store"
)

// Graph is what an export reads; *store.Store is one.
type Graph interface {
	Len() int
	K() int
	EachKeyed(fn func(row store.Row, neighbors []uint32, keys []float32) error) error
	Shown(key float32) float32
}

// Format names a file format.
type Format string

// The formats.
const (
	NPY   Format = "npy"   // directory: indices.npy (int32), distances.npy (float32)
	NPZ   Format = "npz"   // SciPy CSR matrix, distances as data
	GT    Format = "gt"    // u32 n, u32 k, n*k int32 rows, n*k float32 keys
	IBin  Format = "ibin"  // u32 n, u32 k, n*k int32; .fbin of distances beside it
	IVecs Format = "ivecs" // per row int32 k, then k int32
	CSV   Format = "csv"   // row,rank,neighbor,distance
)

var formats = []Format{NPY, NPZ, GT, IBin, IVecs, CSV}

// Symmetric says what an npz or csv holds besides the lists as they are.
type Symmetric string

// Kinds of symmetric graphs.
const (
	Directed Symmetric = ""
	Union    Symmetric = "union"  // a pair where either lists the other
	Mutual   Symmetric = "mutual" // a pair where each lists the other
)

// Options of an export.
type Options struct {
	Format    Format
	Self      bool // the row itself first, at distance 0
	Symmetric Symmetric
	Force     bool // overwrite
}

// Validate reports every fault at once.
func (o *Options) Validate() error {
	var errs []error
	known := false
	for _, f := range formats {
		known = known || f == o.Format
	}
	if !known {
		errs = append(errs, fmt.Errorf("export: format %q, want npy, npz, gt, ibin, ivecs or csv", o.Format))
	}
	if o.Symmetric != Directed && o.Symmetric != Union && o.Symmetric != Mutual {
		errs = append(errs, fmt.Errorf("export: symmetric %q, want union or mutual", o.Symmetric))
	}
	if o.Symmetric != Directed && o.Format != NPZ && o.Format != CSV {
		errs = append(errs, fmt.Errorf("export: %s holds lists of one length; a symmetric graph needs npz or csv", o.Format))
	}
	if o.Self && o.Symmetric != Directed {
		errs = append(errs, errors.New("export: the row itself has no place in a symmetric graph"))
	}
	if o.Self && o.Format == GT {
		errs = append(errs, errors.New("export: gt holds neighbors other than the row itself"))
	}
	return errors.Join(errs...)
}

// Export writes g to path: aside first, then renamed. An existing path is an
// error unless Force.
func Export(g Graph, path string, o Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if g.Len() > math.MaxInt32 {
		return fmt.Errorf("export: %d rows, %s holds row numbers below 2^31", g.Len(), o.Format)
	}
	targets := []string{path}
	if o.Format == IBin {
		targets = append(targets, besideIBin(path))
	}
	for _, t := range targets {
		if _, err := os.Stat(t); err == nil && !o.Force {
			return fmt.Errorf("export: %s exists", t)
		}
	}
	x := &exporter{Graph: g, Options: o}
	switch o.Format {
	case NPY:
		return x.npy(path)
	case NPZ:
		return publish(path, x.npz)
	case GT:
		return publish(path, x.gt)
	case IBin:
		if err := publish(path, func(w *bufio.Writer) error { return x.bin(w, x.writeRows) }); err != nil {
			return err
		}
		return publish(besideIBin(path), func(w *bufio.Writer) error { return x.bin(w, x.writeDistances) })
	case IVecs:
		return publish(path, x.ivecs)
	}
	return publish(path, x.csv)
}

func besideIBin(path string) string { return strings.TrimSuffix(path, ".ibin") + ".fbin" }

type exporter struct {
	Graph
	Options
	symmetric *symmetric // made on first use
}

// width is the entries of a row in formats of fixed width.
func (x *exporter) width() int {
	if x.Self {
		return x.K() + 1
	}
	return x.K()
}

// each calls fn with neighbors as rows and distances, the row itself first
// where it is wanted.
func (x *exporter) each(fn func(row uint32, neighbors []uint32, distances []float32) error) error {
	var ns []uint32
	var ds []float32
	return x.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		ns, ds = ns[:0], ds[:0]
		if x.Self {
			ns, ds = append(ns, uint32(row)), append(ds, 0)
		}
		ns = append(ns, neighbors...)
		for _, key := range keys {
			ds = append(ds, x.Shown(key))
		}
		return fn(uint32(row), ns, ds)
	})
}

// publish writes a file aside, syncs it and renames it.
func publish(path string, write func(w *bufio.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := errors.Join(w.Flush(), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("export: %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

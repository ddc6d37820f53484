package shards

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/vectors"
)

// A Cut says how a run is cut into tasks. It does not change the graph.
type Cut struct {
	Rows    int    // input rows of a shard; 0: a million, or fewer if there would be too few tasks
	Solvers int    // the maximum number of tasks that solve the groups of a division; 0: 256
	Range   int    // rows whose lists one task folds; 0: as many as have lists of 32 MiB
	Version string // of the program
}

// cut completes a spec of an input with so many rows.
func (s *runSpec) cut(c Cut) error {
	s.Format, s.Version = format, c.Version
	s.ShardRows = cmp.Or(c.Rows, min(1_000_000, max(1, (s.Manifest.Rows+15)/16)))
	s.Solvers = cmp.Or(c.Solvers, 256)
	s.Range = cmp.Or(c.Range, max(1, 32<<20/(8*s.Manifest.K)))
	if s.ShardRows < 1 || s.Solvers < 1 || s.Range < 1 {
		return vectors.Misused(fmt.Errorf("builder: shards of %d rows, %d solving tasks, ranges of %d rows: want 1 or more", s.ShardRows, s.Solvers, s.Range))
	}
	return nil
}

// readable refuses inputs that tasks cannot read by themselves.
func readable(src *vectors.Input) error {
	if len(src.Files) == 0 || src.Received() > 0 {
		return vectors.Misused(errors.New("builder: streams, text and packed files cannot be read in shards: convert them first (knng convert)"))
	}
	if i := slices.IndexFunc(src.Files, func(f vectors.File) bool { return f.Cut }); i >= 0 {
		return vectors.Misused(fmt.Errorf("builder: %s is cut by a limit of rows, which shards do not know", src.Files[i].Path))
	}
	return nil
}

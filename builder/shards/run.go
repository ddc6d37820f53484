package shards

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// A Run is a build with the parts method by tasks. Many processes may call Next and Do at once, on
// machines that see the same folder.
type Run struct {
	spec   runSpec
	name   string // of its folder
	folder pieces.Folder
	worker Worker
	space  *distance.Space
	fixed  *settled // result of settle; nil: not read yet
	ledger offheap.Ledger
	kept   kept
	inputs openInputs
}

// Worker holds the limits of a process that does tasks.
type Worker struct {
	Version string                           // of the program
	Threads int                              // 0: GOMAXPROCS
	Memory  int64                            // bytes; 0: builder.DefaultMemory
	Scratch string                           // folder; "": that of the system
	Logger  func(format string, args ...any) // Pebble's complaints; nil drops them
}

// folderAt is the folder of a run.
var folderAt = pieces.At // a variable for tests

// Open opens the run in the folder that Begin returned. Errors: ErrVersion, ErrNotRun, ErrDamaged, those of the system.
func Open(folder string, w Worker) (*Run, error) {
	o := builder.Options{Method: builder.Parts, Threads: w.Threads, Memory: w.Memory}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.WithDefaults()
	w.Threads, w.Memory = o.Threads, o.Memory
	s := &Run{folder: folderAt(folder), name: path.Base(folder), worker: w}
	data, err := readAll(s.folder, specName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s has no %s", ErrNotRun, folder, specName)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &s.spec); err != nil {
		return nil, fmt.Errorf("builder: %s: %s is %w: %w", folder, specName, ErrDamaged, err)
	}
	if s.spec.Version != w.Version || s.spec.Format != format {
		return nil, fmt.Errorf("%w: version %s, format %d, and this is version %s, format %d: install one version on all machines, or begin anew",
			ErrVersion, s.spec.Version, s.spec.Format, w.Version, format)
	}
	if s.spec.identity() != s.name {
		return nil, fmt.Errorf("builder: %s: %s belongs to run %s: it is %w, or the folder was renamed", folder, specName, s.spec.identity(), ErrDamaged)
	}
	metric, err := distance.ParseMetric(s.spec.Metric)
	if err != nil {
		return nil, fmt.Errorf("builder: %w", err)
	}
	t, err := vectors.ParseType(s.spec.Manifest.Type)
	if err != nil {
		return nil, fmt.Errorf("builder: %w", err)
	}
	s.space, err = distance.New(metric, t, s.spec.Manifest.Dim)
	return s, err
}

func (s *Run) goal() job.Goal { return job.Goal{Recall: s.spec.Recall, Divisions: s.spec.Divisions} }

// settled is known to all tasks, once all rows were read.
type settled struct {
	Bad []uint32 `json:"bad"` // input rows without a list, ascending
	N   int      `json:"n"`   // rows with one
}

// ranges is how many ranges of places have lists of their own.
func (s *Run) ranges() (int, error) {
	fixed, err := s.settled()
	if err != nil {
		return 0, err
	}
	return (fixed.N + s.spec.Range - 1) / s.spec.Range, nil
}

// rangePlaces are the places of a range.
func (s *Run) rangePlaces(r int) (from, to int) {
	from = r * s.spec.Range
	return from, min(from+s.spec.Range, s.fixed.N)
}

// settled reads the result of settle.
func (s *Run) settled() (*settled, error) {
	if s.fixed != nil {
		return s.fixed, nil
	}
	fixed := new(settled)
	if err := s.note("settle", 0, fixed); err != nil {
		return nil, err
	}
	if rows := s.spec.Manifest.Rows; fixed.N < 1 || fixed.N+len(fixed.Bad) != rows || !slices.IsSorted(fixed.Bad) {
		return nil, fmt.Errorf("builder: the run %s: the file of settle is %w: it counts %d good and %d bad rows of %d", s.name, ErrDamaged, fixed.N, len(fixed.Bad), rows)
	}
	s.fixed = fixed
	return fixed, nil
}

// badBefore is how many of the rows before an input row have no list.
func (f *settled) badBefore(row int) int {
	return sort.Search(len(f.Bad), func(i int) bool { return int(f.Bad[i]) >= row })
}

// rowOf is the row of the output at a place: bad rows that are isolated keep their numbers,
// those that are dropped do not.
func (s *Run) rowOf(place int) int {
	if s.spec.BadRows == audit.Drop {
		return place
	}
	return place + sort.Search(len(s.fixed.Bad), func(i int) bool { return int(s.fixed.Bad[i])-i > place })
}

// outputRows is how many rows the graph has.
func (s *Run) outputRows() int {
	if s.spec.BadRows == audit.Drop {
		return s.fixed.N
	}
	return s.spec.Manifest.Rows
}

// points are those of a task, without rows.
func (s *Run) points() (*points.Points, error) {
	fixed, err := s.settled()
	if err != nil {
		return nil, err
	}
	return s.pointsOf(fixed.N), nil
}

// pointsOf are the points of so many good rows.
func (s *Run) pointsOf(rows int) *points.Points {
	ps := &points.Points{Space: s.space, Threads: s.worker.Threads, K: min(s.spec.Manifest.K, rows-1)}
	ps.Use = points.GroupCodes
	return ps
}

func (s *Run) rounding() (r codes.Rounding, err error) {
	err = s.note("fit", 0, &r)
	return r, err
}

// steerers is how many rows steer.
func (s *Run) steerers() int {
	if s.spec.Recall == 0 || s.fixed.N < 2 {
		return 0
	}
	return min(s.fixed.N, controls.Rows)
}

// steering lists the places that steer.
func (s *Run) steering() []uint32 {
	places, _ := recall.Disjoint(s.fixed.N, s.steerers(), 0, s.spec.Seed)
	return places
}

package shards

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/objects"
)

// kept holds results of earlier stages, and memory, between the tasks of one stage that a process does. It
// changes no result.
type kept struct {
	stage    string
	division int

	cells  *division.Cells // of assign; of lead, without leaders
	bounds *points.Bounds  // of solve
	truth  *recall.Lists   // of the rows that steer, of solve
	group  groups.Group    // memory of solve
	stripe *solve.Stripe   // memory of fold
}

func (k *kept) free() {
	if k.bounds != nil {
		k.bounds.Free()
	}
	if k.stripe != nil {
		k.stripe.Free()
	}
	k.group.Free()
	*k = kept{}
}

// keep makes room for the things that tasks of a stage share, and frees those of another stage.
func (s *Run) keep(t Task) {
	if s.kept.stage != t.Stage || s.kept.division != t.Division {
		s.kept.free()
		s.kept.stage, s.kept.division = t.Stage, t.Division
	}
}

// Close gives back all that tasks kept for later ones.
func (s *Run) Close() error {
	s.kept.free()
	return s.inputs.close()
}

// cells are the leaders of a division, coded.
func (s *Run) cells(ctx context.Context, d *groups.Division) (*division.Cells, error) {
	if s.kept.cells != nil {
		return s.kept.cells, nil
	}
	drawn, err := sampling{s}.drawn("draw", int(d.Number), 0, d.Leaders)
	if err != nil {
		return nil, err
	}
	heads, err := dividing{s}.headsOf(int(d.Number))
	if err != nil {
		return nil, err
	}
	homes, err := dividing{s}.homesOf(int(d.Number))
	if err != nil {
		return nil, err
	}
	s.kept.cells, err = d.Cells(ctx, drawn, heads, homes)
	return s.kept.cells, err
}

// emptyCells are the cells of a division without its leaders.
func (s *Run) emptyCells(ctx context.Context, d *groups.Division) (*division.Cells, error) {
	if s.kept.cells != nil {
		return s.kept.cells, nil
	}
	var rows []byte
	err := s.with("heads", int(d.Number), 0, func(p *pieces.Piece) (err error) {
		rows, err = p.Get(headRowsKey, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.kept.cells, err = d.EmptyCells(ctx, rows)
	return s.kept.cells, err
}

// boundsBefore are the bounds of the lists of the division before; of the first there
// are none.
func (s *Run) boundsBefore(division int) (*points.Bounds, error) {
	if s.kept.bounds != nil {
		return s.kept.bounds, nil
	}
	b := new(points.Bounds)
	if err := s.readBounds(division, b); err != nil {
		b.Free()
		return nil, err
	}
	s.kept.bounds = b
	return b, nil
}

// steerOnce returns the result of steer, which is read once.
func (s *Run) steerOnce() (truth *recall.Lists, err error) {
	if s.kept.truth == nil {
		s.kept.truth, err = s.steer()
	}
	return s.kept.truth, err
}

// stripeOf is an empty stripe for a range of places.
func (s *Run) stripeOf(r, k int) *solve.Stripe {
	if s.kept.stripe == nil {
		s.kept.stripe = solve.NewStripe(0, min(s.spec.Range, s.fixed.N), k)
	}
	s.kept.stripe.Reset(s.rangePlaces(r))
	return s.kept.stripe
}

// inputAge is how long an open input counts as checked.
const inputAge = time.Minute

// openInputs is the input that a process has open. Consecutive tasks mostly read the same files, and
// checking samples of all files again costs more than reading a few rows.
type openInputs struct {
	paths  []string
	looked time.Time
	times  []int64 // when files were last changed; 0: an object
	in     *vectors.Input
}

func (o *openInputs) close() (err error) {
	if o.in != nil {
		err = o.in.Close()
	}
	*o = openInputs{}
	return err
}

// of opens files that are as they were when the run was begun.
func (o *openInputs) of(files []vectors.File, scratch string) (*vectors.Input, error) {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	times, err := changed(paths)
	if err != nil {
		return nil, err
	}
	if slices.Equal(paths, o.paths) && slices.Equal(times, o.times) && time.Since(o.looked) < inputAge {
		return o.in, nil
	}
	if err := o.close(); err != nil {
		return nil, err
	}
	in, err := vectors.Open(paths, &vectors.OpenOptions{Remote: Remote(scratch)})
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if err := f.Same(in.Files[i]); err != nil {
			in.Close() // the error before it says more
			return nil, fmt.Errorf("the input is not as it was when the run was begun: %w", err)
		}
	}
	*o = openInputs{paths: paths, looked: time.Now(), times: times, in: in}
	return in, nil
}

// changed tells when files were last written to.
func changed(paths []string) (times []int64, err error) {
	for _, path := range paths {
		if objects.Is(path) {
			times = append(times, 0)
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("the input: %w", err)
		}
		times = append(times, info.ModTime().UnixNano(), info.Size())
	}
	return times, nil
}

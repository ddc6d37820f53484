package shards

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

// lastDivision is the number of the last division, and the decision after it.
func (s *Run) lastDivision() (int, *decision, error) {
	for number := 1; number <= job.MaxDivisions; number++ {
		d, err := s.decision(number)
		if err != nil || d.Stop != "" {
			return number, d, err
		}
	}
	return 0, nil, fmt.Errorf("builder: %d divisions and no end", job.MaxDivisions)
}

// reporting lists the places that report recall.
func (s *Run) reporting() ([]uint32, error) {
	_, d, err := s.lastDivision()
	if err != nil {
		return nil, err
	}
	return controls.Reporting(s.fixed.N, d.State.Steer, controls.Rows, d.State.Sums().Requested, s.spec.Seed), nil
}

// short lists the places whose lists divisions left short.
func (s *Run) short() (places []uint32, err error) {
	last, _, err := s.lastDivision()
	if err != nil {
		return nil, err
	}
	err = s.eachPiece("fold", last, func(_ int, p *pieces.Piece) (err error) {
		places, err = readU32s(p, shortKey, places)
		return err
	})
	return places, err
}

// Sections of the file of adjacency.
const (
	countsKey = 0 // neighbors of every row, two bytes each
	idsKey    = 1 // rows
	keysKey   = 2
)

// graphRows are the rows of the output that a range of places has, isolated ones included.
func (s *Run) graphRows(r, ranges int) (from, to int) {
	place, end := s.rangePlaces(r)
	if r > 0 {
		from = s.rowOf(place)
	}
	if to = s.outputRows(); r+1 < ranges {
		to = s.rowOf(end)
	}
	return from, to
}

// rangeLists reads the lists of a range of places, and those of all places that divisions left short. Rows without others
// have none.
func (s graphing) rangeLists(r, k int) (l store.Lists, complete *recall.Lists, err error) {
	if k == 0 {
		return l, nil, nil
	}
	last, _, err := s.lastDivision()
	if err != nil {
		return l, nil, err
	}
	err = s.with("fold", last, r, func(p *pieces.Piece) error {
		return eachList(p, listsKey, func(place uint32, ids []uint32, keys []float32) error {
			l.Append(place, ids, keys)
			return nil
		})
	})
	if err != nil {
		return l, nil, err
	}
	short, err := s.short()
	if err != nil {
		return l, nil, err
	}
	complete, err = sampling(s).exactLists("complete", short, k)
	return l, complete, err
}

// adjacency writes the lists of a range of rows as they are in the graph.
func (s graphing) adjacency(w *task) error {
	ps, err := s.points()
	if err != nil {
		return err
	}
	l, complete, err := s.rangeLists(w.Part, ps.K)
	if err != nil {
		return err
	}
	from, to := s.graphRows(w.Part, w.of)
	counts := make([]byte, 2*(to-from))
	ids, keys := make([]byte, 0, 4*len(l.Neighbors)), make([]byte, 0, 4*len(l.Keys))
	next := 0
	place, end := s.rangePlaces(w.Part)
	for ; place < end; place++ {
		var near []uint32
		var at []float32
		if next < len(l.Rows) && int(l.Rows[next]) == place {
			near, at = l.Neighbors[l.Starts[next]:l.Starts[next+1]], l.Keys[l.Starts[next]:l.Starts[next+1]]
			next++
		}
		if len(near) < ps.K {
			i, known := slices.BinarySearch(complete.Places, uint32(place))
			if !known {
				return fmt.Errorf("the list of place %d has %d of %d neighbors and was not completed", place, len(near), ps.K)
			}
			near, at = complete.List(i)
		}
		binary.LittleEndian.PutUint16(counts[2*(s.rowOf(place)-from):], uint16(len(near)))
		for i, id := range near {
			ids = binary.LittleEndian.AppendUint32(ids, uint32(s.rowOf(int(id))))
			keys = binary.LittleEndian.AppendUint32(keys, math.Float32bits(at[i]))
		}
	}
	w.out.Put(countsKey, counts)
	w.out.Put(idsKey, ids)
	w.out.Put(keysKey, keys)
	return w.ctx.Err()
}

// seal notes the report: with it the run is finished.
func (s graphing) seal(w *task) error {
	ps, err := s.points()
	if err != nil {
		return err
	}
	r := &report{Rows: s.outputRows(), Places: s.fixed.N, K: ps.K, BadRows: len(s.fixed.Bad), Kernel: distance.Kernel(),
		Threads: s.worker.Threads, Recall: 1, Low: 1, High: 1, Steered: 1}
	if ps.K > 0 {
		if err := s.reportTo(r, ps.K); err != nil {
			return err
		}
	}
	if err := s.eachPiece("adjacency", 0, func(int, *pieces.Piece) error { return w.ctx.Err() }); err != nil {
		return err
	}
	return w.out.Note(r)
}

// reportTo counts the pairs of the divisions and measures their recall.
func (s graphing) reportTo(r *report, k int) error {
	last, d, err := s.lastDivision()
	if err != nil {
		return err
	}
	places, err := s.reporting()
	if err != nil {
		return err
	}
	short, err := s.short()
	if err != nil {
		return err
	}
	truth, err := sampling(s).exactLists("report", places, k)
	if err != nil {
		return err
	}
	n := int64(s.fixed.N)
	sum, g := d.State.Sums(), s.goal()
	sum.Add(job.Counts{Requested: int64(len(short)) * (n - 1), Evaluated: int64(len(short)) * (n - 1)})
	r.Requested, r.Evaluated, r.Completed = sum.Requested, sum.Evaluated, len(short)
	r.Controls = int64(d.State.Steer+len(places)) * (n - 1)
	r.Divisions, r.Stop = g.BallsDone(&d.State), d.Stop
	found, err := s.listsFor(last, places, short, k)
	if err != nil {
		return err
	}
	per := build.PerRow(truth, func(place uint32) ([]uint32, []float32) { return found[place].IDs, found[place].Keys })
	r.Recall, r.Low, r.High = recall.Interval(per, s.fixed.N, 1)
	r.Sample = len(per)
	if d.State.Steer > 0 {
		r.Steered = d.State.Last().Recall
	}
	return nil
}

// listsFor are the lists of some places in the graph.
func (s graphing) listsFor(last int, places, short []uint32, k int) (map[uint32]solve.List, error) {
	found := make(map[uint32]solve.List, len(places))
	for _, place := range places {
		found[place] = solve.List{}
	}
	complete, err := sampling(s).exactLists("complete", short, k)
	if err != nil {
		return nil, err
	}
	err = s.eachPiece("fold", last, func(r int, p *pieces.Piece) error {
		from, to := s.rangePlaces(r)
		if i, _ := slices.BinarySearch(places, uint32(from)); i == len(places) || int(places[i]) >= to {
			return nil
		}
		return eachList(p, listsKey, func(place uint32, ids []uint32, keys []float32) error {
			if _, wanted := found[place]; wanted {
				found[place] = solve.List{IDs: slices.Clone(ids), Keys: slices.Clone(keys)}
			}
			return nil
		})
	})
	for i, place := range short {
		if _, wanted := found[place]; wanted {
			ids, keys := complete.List(i)
			found[place] = solve.List{IDs: ids, Keys: keys}
		}
	}
	return found, err
}

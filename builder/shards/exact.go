package shards

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Sampled rows are compared with the rows of every shard by a task of its own.

// sampleOf is where the rows that a stage compares are drawn: the stage and the sample.
var sampleOf = map[string]struct {
	stage  string
	sample int
}{"controls": {"sample", 0}, "near": {"sample", 0}, "report": {"resample", 0}, "complete": {"resample", 1}}

// sampled are the places, and the rows, that a stage compares.
func (s sampling) sampled(stage string) (places []uint32, rows []byte, err error) {
	of := sampleOf[stage]
	samples, err := s.samples(of.stage, 0)
	if err != nil {
		return nil, nil, err
	}
	places = samples[of.sample]
	rows, err = s.drawn(of.stage, 0, of.sample, len(places))
	return places, rows, err
}

// eachChunk calls fn with sampled rows and those of a chunk of a shard behind them, which
// are those from a place on.
func (s sampling) eachChunk(shard *shard, sampled []byte, chunk int, fn func(both []byte, from int) error) error {
	size := s.space.RowBytes()
	both := make([]byte, len(sampled)+min(chunk, shard.rows.Len())*size)
	for from := 0; from < shard.rows.Len(); from += chunk {
		n := min(chunk, shard.rows.Len()-from)
		both = both[:len(sampled)+n*size]
		copy(both, sampled)
		if err := shard.rows.ReadRows(from, both[len(sampled):]); err != nil {
			return err
		}
		if err := fn(both, shard.first+from); err != nil {
			return err
		}
	}
	return nil
}

// compared is sampled rows, and a shard that they are compared with.
type compared struct {
	places  []uint32
	sampled []byte // the rows of the places
	points  *points.Points
	shard   *shard
}

// compared opens the sides of a task.
func (s sampling) compared(w *task) (c compared, err error) {
	if c.places, c.sampled, err = s.sampled(w.Stage); err != nil {
		return c, err
	}
	if c.points, err = s.points(); err != nil {
		return c, err
	}
	c.shard, err = s.shard(w.Part)
	return c, err
}

// compareExactly finds the nearest rows of a shard to sampled ones.
func (s sampling) compareExactly(w *task) error {
	c, err := s.compared(w)
	if err != nil {
		return err
	}
	places, ps := c.places, c.points
	lists := knn.New(len(places), ps.K, nil)
	defer lists.Free()
	if len(places) > 0 {
		err = s.eachChunk(c.shard, c.sampled, int(ps.ChunkRows()), func(both []byte, from int) error {
			return ps.ExactChunk(w.ctx, both, places, from, lists, func(int) {})
		})
	}
	w.out.Put(0, encodeLists(lists, nil))
	return err
}

// exactLists unites the lists of the tasks of a stage.
func (s sampling) exactLists(stage string, places []uint32, k int) (*recall.Lists, error) {
	lists := knn.New(len(places), k, nil)
	defer lists.Free()
	var merger knn.Merger
	err := s.eachPiece(stage, 0, func(_ int, p *pieces.Piece) error {
		return eachList(p, 0, func(i uint32, ids []uint32, keys []float32) error {
			if int(i) >= len(places) {
				return p.Damaged(fmt.Errorf("list %d of %d", i, len(places)))
			}
			merger.Merge(lists, i, ids, keys)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	found := recall.ListsOf(places, k, func(i int) ([]uint32, []float32) { return lists.List(uint32(i)) })
	found.Alike = s.space.Metric().Alike()
	return found, nil
}

// near finds the candidates of a shard for rows that steer, by codes, and their keys.
func (s sampling) near(w *task) error {
	c, err := s.compared(w)
	if err != nil {
		return err
	}
	rounding, err := s.rounding()
	if err != nil {
		return err
	}
	places, ps := c.places, c.points
	lists := knn.New(len(places), solve.Candidates(ps, s.fixed.N, s.spec.Manifest.K), nil)
	defer lists.Free()
	size := s.space.RowBytes()
	err = s.eachChunk(c.shard, c.sampled, int(ps.ChunkRows()), func(both []byte, from int) error {
		rows, err := vectors.RowsOf(both, len(both)/size, s.space.Dim(), size, s.space.Type())
		if err != nil {
			return err
		}
		matrix, err := codes.Of(rows, s.space, rounding, s.worker.Threads)
		if err != nil {
			return err
		}
		return solve.Near(w.ctx, ps, matrix, places, from, lists)
	})
	if err != nil {
		return err
	}
	keys, err := s.keysOf(c.shard, lists, c.sampled)
	w.out.Put(0, encodeLists(lists, nil))
	w.out.Put(1, encodeLists(lists, keys))
	return err
}

// keysOf are the keys of all entries of lists, list after list.
func (s sampling) keysOf(shard *shard, lists *knn.Lists, sampled []byte) (keys []float32, err error) {
	size := s.space.RowBytes()
	other := make([]byte, size)
	for i := range lists.N {
		row := sampled[i*size : (i+1)*size]
		ids, _ := lists.List(uint32(i))
		for _, id := range ids {
			if err := shard.rows.ReadRows(int(id)-shard.first, other); err != nil {
				return nil, err
			}
			keys = append(keys, s.space.Key(row, other, s.space.Norm(row), s.space.Norm(other)))
		}
	}
	return keys, nil
}

// seen is the result of sight: the recall that lists by codes can have.
type seen struct {
	Ceiling float64 `json:"ceiling"`
	Blind   bool    `json:"blind"`
}

// candidateKey is a candidate by codes, with both its keys.
type candidateKey struct {
	id        uint32
	code, key float32
}

// sight decides whether codes can tell enough of the neighbors.
func (s sampling) sight(w *task) error {
	ps, err := s.points()
	if err != nil {
		return err
	}
	places := s.steering()
	truth, err := s.exactLists("controls", places, ps.K)
	if err != nil {
		return err
	}
	found, err := s.candidateKeys(places, solve.Candidates(ps, s.fixed.N, s.spec.Manifest.K))
	if err != nil {
		return err
	}
	var r seen
	r.Ceiling, r.Blind, err = build.CeilingOf(len(places), s.spec.Recall, func(some []int) ([]float64, error) {
		per := make([]float64, len(some))
		list := knn.New(1, ps.K, nil)
		defer list.Free()
		for i, at := range some {
			list.Set(0, nil, nil)
			for _, c := range found[at] {
				list.Offer(0, c.id, c.key)
			}
			ids, keys := list.List(0)
			per[i] = truth.Recall(at, ids, keys)
		}
		return per, nil
	})
	if err != nil {
		return err
	}
	return w.out.Note(r)
}

// candidateKeys are the nearest count rows by codes to each of some places.
func (s sampling) candidateKeys(places []uint32, count int) ([][]candidateKey, error) {
	found := make([][]candidateKey, len(places))
	err := s.eachPiece("near", 0, func(_ int, p *pieces.Piece) error {
		by := make([][]candidateKey, len(places))
		add := func(i uint32, ids []uint32, keys []float32) error {
			if int(i) >= len(places) {
				return p.Damaged(fmt.Errorf("list %d of %d", i, len(places)))
			}
			for j, id := range ids {
				by[i] = append(by[i], candidateKey{id: id, code: keys[j]})
			}
			return nil
		}
		keyed := func(i uint32, ids []uint32, keys []float32) error {
			if int(i) >= len(places) || len(keys) != len(by[i]) {
				return p.Damaged(errors.New("keys and candidates differ in number"))
			}
			for j := range ids {
				by[i][j].key = keys[j]
			}
			return nil
		}
		if err := errors.Join(eachList(p, 0, add), eachList(p, 1, keyed)); err != nil {
			return err
		}
		for i := range by {
			found[i] = append(found[i], by[i]...)
		}
		return nil
	})
	for i, list := range found {
		slices.SortFunc(list, func(a, b candidateKey) int { return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.id, b.id)) })
		found[i] = list[:min(count, len(list))]
	}
	return found, err
}

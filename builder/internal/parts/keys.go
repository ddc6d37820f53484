package parts

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// The parts method by keys: if codes cannot distinguish rows, leaves come from hyperplanes, and a group is
// solved by keys. In both cases groups leave lists of keys.

// assignByPlanes assigns all rows to leaves by hyperplanes.
func (m *Method) assignByPlanes(d groups.Division) (*groups.Leaves, error) {
	norms, err := m.NormsOf(m.Rows)
	if err != nil {
		return nil, err
	}
	tree := m.Tree(m.Rows, norms, m.Order, nil)
	tree.LeafSize = 2 * m.N() * d.Overlap / max(1, d.Leaders) // leaves have between half of this and all of it
	tree.LeafSize = max(tree.LeafSize, 4*m.Set.K, 4)
	return groups.DivideByPlanes(m.Ctx, d, tree)
}

// goKeyed records that groups are solved by keys from now on. Entries found so far stay.
func (m *Method) goKeyed() error {
	m.State = m.State.WithStage(m.State.Changed(job.KeysStage))
	m.Say("codes tell no more: rows are compared by their keys")
	return m.Save()
}

// goExact switches to the exact method, which continues from the folded lists and holds them in memory.
func (m *Method) goExact() error {
	if err := m.opts.Memory.AllPairs(); err != nil {
		return err
	}
	if err := m.fold(); err != nil {
		return err
	}
	m.Say("%s", build.AllInstead)
	m.State = m.State.WithStage(m.State.Changed(job.ListsStage))
	m.group.Free()
	return m.ExactInstead()
}

// candidates returns the lists that codes would make at some places.
func (m *Method) candidates(places []uint32) ([][]uint32, error) {
	return m.nearInChunks(places, solve.Candidates(&m.Points, m.N(), m.Set.K))
}

// nearInChunks returns the count nearest rows to each of some places, by codes, with no memory that grows
// with the rows.
func (m *Method) nearInChunks(places []uint32, count int) ([][]uint32, error) {
	rounding, err := m.Rounding(m.Rows)
	if err != nil {
		return nil, err
	}
	size, chunk := m.Rows.Dim()*m.Rows.Type().Size(), int(m.ChunkRows())
	room := make([]byte, (len(places)+min(chunk, m.N()))*size) // for all chunks, so that the collector does not reallocate it
	sampled := room[:0]
	for _, place := range places {
		sampled = append(sampled, m.Rows.Row(int(place))...)
	}
	lists := knn.New(len(places), count, nil)
	defer lists.Free()
	for from := 0; from < m.N(); from += chunk {
		to := min(from+chunk, m.N())
		bytes := room[:len(sampled)+(to-from)*size]
		if err := m.readRows(from, to, bytes[len(sampled):]); err != nil {
			return nil, err
		}
		rows, err := vectors.RowsOf(bytes, len(bytes)/size, m.Rows.Dim(), size, m.Rows.Type())
		if err != nil {
			return nil, err
		}
		matrix, err := codes.Of(rows, m.Space, rounding, m.Job.Threads)
		if err != nil {
			return nil, err
		}
		if err := solve.Near(m.Ctx, &m.Points, matrix, places, from, lists); err != nil {
			return nil, err
		}
	}
	near := make([][]uint32, len(places))
	for i := range near {
		ids, _ := lists.List(uint32(i))
		near[i] = append(near[i], ids...)
	}
	return near, nil
}

// readRows reads rows from up to to, by all threads.
func (m *Method) readRows(from, to int, dst []byte) error {
	size := len(dst) / max(1, to-from)
	return vectors.Ranges(m.Job.Threads, to-from, readAtOnce, func() func(a, b int) error {
		return func(a, b int) error { return m.Rows.ReadRows(from+a, dst[a*size:b*size]) }
	})
}

// readAtOnce is the number of rows that a goroutine reads at a time.
const readAtOnce = 4096

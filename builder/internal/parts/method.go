package parts

import (
	"fmt"
	"math"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Options are read only by this method.
type Options struct {
	Slack  int // candidates kept beyond k, for a forecast
	Memory Memory
}

// Memory returns the parts of the limit for blocks that grow with the rows.
type Memory interface {
	Between() int64  // stages
	Solving() int64  // groups, whose blocks count
	Writing() int64  // the graph
	AllPairs() error // refuses to switch to all pairs if these take more than the limit
}

// Method is a build by the parts method.
type Method struct {
	*build.Build
	opts   Options
	group  groups.Group  // being solved
	folded uint32        // stages whose lists are in the fold
	units  []int         // of every stage since
	bounds points.Bounds // the last key of every folded list
	cells  innerCells    // under inner products
}

// New returns the method of a build.
func New(b *build.Build, o Options) *Method {
	m := &Method{Build: b, opts: o}
	m.cells.m = m
	return m
}

func (m *Method) Forecast(s *plan.Shape) {
	s.Kind = plan.Groups
	m.CountCodes(s)
	s.Slack = int64(m.slack())
	s.Planes = !m.Space.Metric().Coded()
	if !m.Inner() {
		s.Overlap = m.Goal.PartsOverlap(int(s.Rows))
	}
	s.Parts = plan.Parts{GroupRows: groups.GroupRows(solve.BytesOfGroup(s.Overlap), solve.RowBytes(&m.Points, m.Set.K, s.Overlap)), Chunk: m.ChunkRows() * s.RowBytes,
		Leaders: groups.Leaders(int(s.Rows), m.Set.K, s.Overlap), Ledger: m.Ledger.Limit, Stripe: int64(StripeBytes), Stretch: int64(m.stretch())}
}

func (m *Method) Expected(aim *plan.Aim) (divisions int, rounds float64) {
	if m.Goal.Recall > 0 {
		return aim.Parts(float64(aim.Rows) * float64(aim.Overlap) / float64(groups.Leaders(int(aim.Rows), m.Set.K, aim.Overlap))), 0
	}
	return job.PlainParts * job.Overlap, 0
}

// Stand returns how far the divisions have come.
func (m *Method) Stand(*job.Stage) plan.Stand { return m.Goal.Stand(&m.State, nil, 1) }

func (m *Method) Settle() { m.State.Lap, m.State.Fits, m.State.Foretells = m.lap(), true, true }

// lap returns the leaves of a row in a whole division, from the state.
func (m *Method) lap() int {
	if overlap := m.Goal.PartsOverlap(m.State.Rows); overlap != job.Overlap && !m.Inner() {
		return overlap
	}
	return 0
}

func (m *Method) slack() int {
	if m.CodesOrder() || !m.codesServe() {
		return 0
	}
	return m.opts.Slack
}

// Arrange keeps the rows in the order of the input.
func (m *Method) Arrange(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	return build.InputOrder(given.Len()), nil
}

// ErrOtherLeaves refuses to resume a build of a version whose divisions put a row into another number of
// leaves, because units of both would be mixed.
var ErrOtherLeaves = fmt.Errorf("%w: it was begun by a version that put each row into another number of leaves: begin anew", store.ErrMismatch)

func (m *Method) Resume() error {
	if m.State.Lap != m.lap() {
		return ErrOtherLeaves
	}
	return m.loadFolded()
}

func (m *Method) Prepare() error {
	switch {
	case m.Inner():
		return m.cells.prepare()
	case !m.codesServe():
		m.State.Means = job.ByKeys
		return nil
	}
	return m.Sight(m.candidates)
}

// codesServe reports whether codes find candidates, which keys order at the end; otherwise lists hold keys
// from the beginning.
func (m *Method) codesServe() bool { return m.Space.Metric().Gathers() && m.Space.Metric().Coded() }

// Next divides until the recall is reached.
func (m *Method) Next() (kind, stop string) {
	if m.Inner() {
		return m.cells.next()
	}
	return m.Goal.NextParts(&m.State)
}

func (m *Method) Writes(string) (stored, scratch int64, err error) {
	if !m.foldDue() {
		return m.FirstLists(), m.spillBytes(), nil
	}
	return 0, m.spillBytes(), m.RoomForFold(m.N(), m.K) // before anything is freed
}

func (m *Method) Stage(kind string) error {
	switch kind {
	case job.KeysStage:
		return m.goKeyed()
	case job.ListsStage:
		return m.goExact()
	}
	if m.Inner() {
		return m.cells.divide()
	}
	return m.divide()
}

// Finish removes the leaves left by a process that ended when a division was done.
func (m *Method) Finish() error { return m.forgetLeaves() }

func (m *Method) Free() {
	m.cells.free()
	m.group.Free()
	m.bounds.Free()
}

// spillBytes returns about the disk of the rows of groups, and of the leaves of rows. Groups take none if
// batches of them, the leaves and the bounds of lists fit in memory.
func (m *Method) spillBytes() int64 {
	rows := int64(m.N()) * int64(m.Space.RowBytes())
	if m.Inner() {
		return 0
	}
	lap := m.Goal.PartsOverlap(m.N())
	leaves := int64(m.N()) * int64(4*lap)
	group := groups.GroupRows(solve.BytesOfGroup(lap), m.groupRowBytes())
	h := fixed.Held{Rows: float64(m.N()), RowBytes: float64(m.Space.RowBytes()), Leaves: float64(lap), Groups: math.Ceil(float64(m.N()) * float64(lap) / float64(group))}
	if batches, _ := h.Batches(float64(m.Ledger.Room() - leaves - 2*int64(m.N()))); batches > 0 {
		return leaves
	}
	return leaves + rows
}

package balls

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/propagation"
	"github.com/knng/knng/builder/plan"
)

// Ahead is the leaves that a row will stand in and the rounds, by what the stages have found.
func (m *Method) Ahead(aim *plan.Aim, under *job.Stage) (divisions int, rounds float64) {
	after := m.State
	if under != nil {
		after = m.State.WithStage(*under)
	}
	return aim.Ahead(m.Goal.Stand(&after, propagation.Parts))
}

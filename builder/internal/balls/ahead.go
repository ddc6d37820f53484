package balls

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/propagation"
	"github.com/knng/knng/builder/plan"
)

// Stand returns how far the stages have come.
func (m *Method) Stand(under *job.Stage) plan.Stand {
	return m.Goal.Stand(&m.State, under, propagation.Parts)
}

package paper

import (
	"fmt"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/store"
)

// loadLabels fills the shared-leaf cache from the finished divisions.
func (m *Method) loadLabels() error {
	var labels []uint32
	for number := 1; number <= m.State.Count(job.DivisionStage); number++ {
		var ok bool
		var err error
		if labels, ok, err = m.Draft.Labels(uint32(number), labels, nil); err != nil {
			return err
		}
		if !ok || len(labels) != m.N() {
			return fmt.Errorf("%w: leaf numbers of division %d are missing", store.ErrCorrupt, number)
		}
		m.shared.Add(labels)
	}
	return nil
}

// goExact switches to the exact method, which continues from the present lists; they are also on disk.
func (m *Method) goExact() error {
	m.Say("%s", build.AllInstead)
	m.State = m.State.WithStage(m.State.Changed(job.ListsStage))
	m.Lists.Free()
	m.Lists = nil
	return m.ExactInstead()
}

package balls

import "github.com/knng/knng/builder/internal/job"

// mostOutliers is the most rows far out that are compared with all others by their keys: as many as there are
// controls.
const mostOutliers = 1024

// outliersMissed is the share of the neighbors that the target may miss that may belong to outliers.
const outliersMissed = 0.1

// separateOutliers handles the rows that codes clip because they lie far out. Few such rows are compared with
// all others at the end; if they are many, all rows are compared by keys.
func (m *Method) separateOutliers() error {
	few, all := m.Codes.Outliers(mostOutliers)
	missed := outliersMissed * (1 - m.Set.Recall) * float64(m.N())
	switch {
	case all:
		m.Outliers = few
		if len(few) > 0 {
			m.Say("%d rows lie far out: they are compared with all others", len(few))
		}
	case mostOutliers > missed && len(m.State.Stages) == 0 && !m.State.ByKeys():
		m.Say("more than %d rows lie far out: rows are compared by their keys", mostOutliers)
		m.State.Means = job.ByKeys
		return m.Save()
	}
	return nil
}

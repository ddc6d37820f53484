package balls

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors"
)

// look measures recall after a stage, or a part of one, on the steering rows.
func (m *Method) look(st *job.Stage) (err error) {
	if m.Steer != nil {
		st.Recall, st.Margin, err = m.steeredCandidates()
	}
	return err
}

// widen has more rows steer.
func (m *Method) widen() error {
	uncertain := m.State.Last().Margin
	st := job.Stage{Kind: job.SteerStage, Number: job.WideSteer, Before: m.State.Steer}
	if err := m.Widen(st.Number); err != nil {
		return err
	}
	if err := m.look(&st); err != nil {
		return err
	}
	err := m.endBallStage(st)
	m.Say("the standard error of recall was %.4f: %d rows steer from here on, recall %.3f, standard error %.4f", uncertain, st.Number, st.Recall, st.Margin)
	return err
}

// steeredRange is how many steering rows a thread takes at a time: their candidates lie
// far apart, and to look for them on one thread took a fiftieth of GIST's time.
const steeredRange = 16

// steeredCandidates is the mean recall of the steering rows' nearest k
// candidates, and its standard error.
func (m *Method) steeredCandidates() (mean, standardError float64, err error) {
	per := make([]float64, len(m.Steer.Places))
	err = vectors.Ranges(m.Job.Threads, len(per), steeredRange, func() func(from, to int) error {
		exact := points.NewRanker(&m.Points, m.found)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				ids, keys, err := exact.List(m.Steer.Places[i])
				if err != nil {
					return err
				}
				per[i] = m.Steer.Recall(i, ids, keys)
			}
			return nil
		}
	})
	if err != nil {
		return 0, 0, err
	}
	mean, standardError = build.MeanOf(per)
	return mean, standardError, nil
}

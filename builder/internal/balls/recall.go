package balls

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
)

// look measures recall on the steering rows after a stage or a part of one.
func (m *Method) look(st *job.Stage) error {
	if m.Steer == nil {
		return nil
	}
	per, err := m.Recalls(m.Steer)
	if err == nil {
		st.Recall, st.Margin = build.MeanOf(per)
	}
	return err
}

// join adds the rows that were to report recall to the steering sample.
func (m *Method) join() error {
	st, err := m.Joining()
	if err != nil {
		return err
	}
	if err := m.look(&st); err != nil {
		return err
	}
	if err := m.endBallStage(st); err != nil {
		return err
	}
	m.SayJoined()
	return nil
}

// widen enlarges the steering sample.
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

// steeredRange is the number of steering rows that a thread takes at a time. Their candidates lie far apart:
// searching them on one thread took a fiftieth of GIST's time.
const steeredRange = 16

// Recalls returns the recall of the nearest k candidates at each place of truth.
func (m *Method) Recalls(truth *recall.Lists) ([]float64, error) {
	per := make([]float64, len(truth.Places))
	err := vectors.Ranges(m.Job.Threads, len(per), steeredRange, func() func(from, to int) error {
		exact := points.NewRanker(&m.Points, m.found)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				ids, keys, err := exact.List(truth.Places[i])
				if err != nil {
					return err
				}
				per[i] = truth.Recall(i, ids, keys)
			}
			return nil
		}
	})
	return per, err
}

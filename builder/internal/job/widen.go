package job

import "strings"

// Few steering rows tell recall badly where rows miss all of their neighbors or none, as among
// copies and hubs: of 256 rows of sets of three of 256 columns the recall was 0.962, and of all
// rows 0.942; and names of words went on from 0.991 to 0.998 for a target of 0.99, because the
// standard error was added to it. Then more rows steer, once the first ones reach the target.

// SteerStage is the stage from which more rows steer. It compares nothing for the graph.
const SteerStage = "steering"

// JoinStage is the stage from which the rows that were to report recall steer as well: their
// recall is below the target that the steering rows reached. It compares nothing for the graph.
const JoinStage = "joined"

// steers reports whether other rows steer from the stage on.
func (st *Stage) steers() bool { return st.Kind == SteerStage || st.Kind == JoinStage }

// Joined lists how many rows came to steer at every JoinStage.
func (s *State) Joined() (rows []int) {
	for _, st := range s.Stages {
		if st.Kind == JoinStage {
			rows = append(rows, st.Number-st.Before)
		}
	}
	return rows
}

// FirstSteer is how many rows steer but for those that joined, which stand behind them.
func (s *State) FirstSteer() int {
	first := s.Steer
	for _, rows := range s.Joined() {
		first -= rows
	}
	return first
}

// Doubts reports whether a build that is about to stop looks at the rows that report first: where it
// reached its target on the rows that steer, and may go on.
func (g *Goal) Doubts(s *State, stop string) bool {
	return g.Steered(s) && !g.Capped() && len(s.Stages) > 0 && s.Last().Recall >= g.Recall && !strings.HasPrefix(stop, allCompared)
}

// WideSteer is how many rows steer then.
const WideSteer = 1024

// widenFrom is the number of rows from which WideSteer are few.
const widenFrom = 16 * WideSteer

// wideMargin is the standard error from which more rows steer: as a share of the recall that the
// target may miss; and, where misses come together, at most so much: four of five builds that stop
// with it are at most 0.005 short.
const (
	wideMarginOfRest = 0.25
	wideMargin       = 0.0075
)

// together is the variance of the recall of a row, as a share of that of rows that miss all or
// nothing, from which misses come together. GIST has 0.20 and SIFT 0.24, where 1,024 rows said the
// same as 256 and took 1.21 and 1.13 times as long for 0.90; sets of three columns have 0.45.
const together = 1.0 / 3

// wideErrors is how many standard errors a recall lies above the target where more rows need not
// tell it: one of forty is then below. MNIST comes to 0.937 where 0.90 is asked, and took 1.41
// times as long for the same graph.
const wideErrors = 2

// Widens reports whether more rows should steer before the build goes on or stops.
func (g *Goal) Widens(s *State) bool {
	last := s.Last()
	if !g.Steered(s) || g.Capped() || s.Rows < widenFrom || s.Steer >= WideSteer || s.Count(JoinStage) > 0 || len(s.Stages) == 0 ||
		last.Recall < g.Recall || last.Recall >= g.Recall+wideErrors*last.Margin {
		return false
	}
	variance := last.Margin * last.Margin * float64(s.Steer)
	clustered := variance > together*last.Recall*(1-last.Recall)
	return last.Margin > wideMarginOfRest*(1-g.Recall) || clustered && last.Margin > wideMargin
}

// LastWork returns the latest stage that compared rows, or a zero one.
func (s *State) LastWork() Stage {
	if i := s.lastWork(); i >= 0 {
		return s.Stages[i]
	}
	return Stage{}
}

func (s *State) lastWork() int {
	i := len(s.Stages) - 1
	for i >= 0 && s.Stages[i].steers() {
		i--
	}
	return i
}

// Gained returns the recall that the latest stage gained; known is false where none came before.
func (s *State) Gained() (gained float64, known bool) {
	i := s.lastWork()
	if i < 1 {
		return 0, false
	}
	return s.Stages[i].Recall - s.Stages[i-1].Recall, true
}

// recallAt is the recall after stage i as the rows that steer now would tell it: it moves by as
// much as the recall did when they took over.
func (s *State) recallAt(i int) float64 {
	recall := s.Stages[i].Recall
	for j := i + 1; j < len(s.Stages); j++ {
		if s.Stages[j].steers() {
			recall += s.Stages[j].Recall - s.Stages[j-1].Recall
		}
	}
	return recall
}

package job

import "strings"

// A few steering rows measure recall badly if rows miss all of their neighbors or none, as copies and hubs
// do: on sets of three of 256 columns, 256 rows had a recall of 0.962 and all rows 0.942. Names of words went
// on from 0.991 to 0.998 for a target of 0.99, because the standard error was added to it. So once the first
// rows reach the target, more rows steer.

// SteerStage enlarges the steering sample. It compares nothing for the graph.
const SteerStage = "steering"

// JoinStage adds the reporting rows to the steering sample, because their recall is below the target that the
// steering rows reached. It compares nothing for the graph.
const JoinStage = "joined"

// steers reports whether the stage changes the steering sample.
func (st *Stage) steers() bool { return st.Kind == SteerStage || st.Kind == JoinStage }

// Joined returns the number of rows that each JoinStage added.
func (s *State) Joined() (rows []int) {
	for _, st := range s.Stages {
		if st.Kind == JoinStage {
			rows = append(rows, st.Number-st.Before)
		}
	}
	return rows
}

// FirstSteer returns the number of steering rows without those that joined, which come after them.
func (s *State) FirstSteer() int {
	first := s.Steer
	for _, rows := range s.Joined() {
		first -= rows
	}
	return first
}

// Doubts reports whether the reporting rows are checked before the build stops: it reached its target on the
// steering rows, and may go on.
func (g *Goal) Doubts(s *State, stop string) bool {
	return g.Steered(s) && !g.Capped() && len(s.Stages) > 0 && s.Last().Recall >= g.Recall && !strings.HasPrefix(stop, allCompared)
}

// WideSteer is the size of the enlarged steering sample.
const WideSteer = 1024

// widenFrom is the least number of rows for it, of which WideSteer are a small part.
const widenFrom = 16 * WideSteer

// wideMarginOfRest is the standard error above which more rows steer, as a share of the recall that the
// target may miss; wideMargin is its limit if misses cluster: of the builds that stop with it, four in five
// are at most 0.005 below the target.
const (
	wideMarginOfRest = 0.25
	wideMargin       = 0.0075
)

// together is the least variance of a row's recall for misses to be clustered, as a share of the variance of
// rows that miss all or none. It is 0.20 for GIST and 0.24 for SIFT, for which 1,024 rows gave the same
// recall as 256, and took 1.21 and 1.13 times as long for 0.90; for sets of three columns it is 0.45.
const together = 1.0 / 3

// wideErrors is how many standard errors above the target recall must be for the sample to stay small: one
// build in forty is then below the target. MNIST comes to 0.937 for 0.90, and took 1.41 times as long for the
// same graph with more rows.
const wideErrors = 2

// Widens reports whether to enlarge the steering sample before the build goes on or stops.
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

// Gained returns the recall that the latest stage gained; known is false if it was the first.
func (s *State) Gained() (gained float64, known bool) {
	i := s.lastWork()
	if i < 1 {
		return 0, false
	}
	return s.Stages[i].Recall - s.Stages[i-1].Recall, true
}

// recallAt returns the recall after stage i, converted to the present steering sample: it adds the jumps of
// recall at the changes of the sample.
func (s *State) recallAt(i int) float64 {
	recall := s.Stages[i].Recall
	for j := i + 1; j < len(s.Stages); j++ {
		if s.Stages[j].steers() {
			recall += s.Stages[j].Recall - s.Stages[j-1].Recall
		}
	}
	return recall
}

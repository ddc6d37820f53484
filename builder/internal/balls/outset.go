package balls

import (
	"math"

	"github.com/knng/knng/builder/internal/job"
)

// dearAtOutset is the planned cost, in multiples of all pairs, from which a build compares all pairs at once.
// Plans are off by a factor of up to two on real data. For 6,000 rows of 4,096 normal values a plan is 3.1;
// without this rule, the pairs compared until divisions stopped paying were wasted.
const dearAtOutset = 2

// outsetRows is the least number of rows for that: with fewer, the steering rows cost as much, and plans are
// off by more.
const outsetRows = 5000

// tooDear reports, before the first stage, whether divisions are expected to take far more pairs than all
// pairs.
func (m *Method) tooDear() bool {
	p := m.State.Expected
	if p == nil || m.N() < outsetRows || m.Steer == nil || m.Goal.Capped() || len(m.State.Stages) > 0 {
		return false
	}
	perLeaf := min(float64(m.Set.LeafSize), float64(m.N())) / 2
	return float64(p.Divisions)*perLeaf > dearAtOutset*m.State.AllPairs(m.N())
}

// lostAtOutset reports, before the first stage, whether all pairs would be compared anyway after one
// division. It matters if that division costs more than a build may take beyond all pairs; for 12,000 rows of
// 300 random bytes it took 0.27 of all pairs. The finds of the division are forecast from the places of the
// steering rows' neighbors, since places come from a division with one ball a row: 0.85 for 0.81 found on
// 12,000 rows of GIST, 0.76 for 0.79 on 16,384 of MiniLM, 0.36 for 0.36 on 150 normal values.
func (m *Method) lostAtOutset() bool {
	if m.N() < outsetRows || m.Steer == nil || m.Goal.Capped() || len(m.State.Stages) > 0 || m.Set.Reference || m.opts.Known != nil {
		return false
	}
	division := float64(job.Overlap*min(m.Set.LeafSize, m.N())) / 2
	if !job.DearBeside(division, m.State.AllPairs(m.N())) {
		return false
	}
	found := 1 - math.Pow(1-m.nearInOrder(m.Set.LeafSize/2), job.Overlap)
	after := m.State.WithStage(job.Stage{Kind: job.DivisionStage, Number: 1, Requested: int64(division) * int64(m.N()), Recall: found})
	return m.Goal.TurnsToAll(&after)
}

// nearInOrder returns the share of the steering rows' neighbors that are at most the given number of places
// away.
func (m *Method) nearInOrder(places int) float64 {
	near, all := 0, 0
	for i, place := range m.Steer.Places {
		ids, _ := m.Steer.List(i)
		for _, id := range ids {
			if apart := int(id) - int(place); -places <= apart && apart <= places {
				near++
			}
		}
		all += len(ids)
	}
	return float64(near) / float64(max(all, 1))
}

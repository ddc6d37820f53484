package balls

// dearAtOutset is from how many times all pairs on, by the plan, a build compares all pairs at
// once. Plans are off by a factor of up to two on real sets; of 6,000 rows of 4,096 normal
// values one says 3.1 times, and the pairs until divisions paid no longer were lost.
const dearAtOutset = 2

// outsetRows is how many rows there are at least for that: of fewer, the rows that steer cost as
// much, and plans are off by more.
const outsetRows = 5000

// tooDear reports, before the first stage, whether divisions are expected to take so many pairs
// that all pairs are fewer.
func (m *Method) tooDear() bool {
	p := m.State.Expected
	if p == nil || m.N() < outsetRows || m.Steer == nil || m.Goal.Capped() || len(m.State.Stages) > 0 {
		return false
	}
	perLeaf := min(float64(m.Set.LeafSize), float64(m.N())) / 2
	return float64(p.Divisions)*perLeaf > dearAtOutset*m.State.AllPairs(m.N())
}

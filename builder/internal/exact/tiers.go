package exact

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/tiers"
	"github.com/knng/knng/builder/progress"
)

// stages returns the number of stages.
func (m *Method) stages() int {
	if m.State.Tiers > 0 {
		return m.State.Tiers
	}
	return tournament{m.N(), m.State.Side}.stages()
}

// newSchedule returns the schedule of the build. Tiers are made from the present lists before the first
// stage.
func (m *Method) newSchedule() (schedule, error) {
	if m.State.Tiers == 0 {
		return tournament{m.N(), m.State.Side}, nil
	}
	var err error
	if m.tiers, err = m.KeptTiers(); err != nil {
		return nil, err
	}
	if m.tiers == nil {
		m.tiers = tiers.Of(m.listsSoFar(), build.TruthOf(m.Steer, m.State.Last().Recall), m.Goal.Aim(&m.State))
		if err := m.KeepTiers(m.tiers); err != nil {
			return nil, err
		}
	}
	schedule := newTiered(m.tiers.Of)
	m.tiers.Of = nil // the schedule has them in order
	return schedule, nil
}

// listsSoFar returns the lists in the form that tiers read.
func (m *Method) listsSoFar() *tiers.Lists {
	return &tiers.Lists{N: m.N(),
		Near: func(place uint32) []uint32 {
			near, _ := m.Lists.List(place)
			return near
		},
		Last: func(place uint32) uint32 { return candidates.Ordered(m.Lists.Worst(place)) },
	}
}

// beginStage begins the phase of a stage. Its total is the expected units: not all tiers are needed.
func (m *Method) beginStage(number int) (p *progress.Phase, before int) {
	most := m.stages()
	if m.State.Tiers > 0 {
		most = max(number, m.tiers.Needed(m.Goal.Aim(&m.State)))
	}
	total := 0
	for stage := range most {
		if stage == number-1 {
			before = total
		}
		total += m.schedule.units(stage)
	}
	return m.Begin("exact", "rounds", int64(total)), before
}

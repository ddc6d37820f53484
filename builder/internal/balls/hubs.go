package balls

import (
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors"
)

// Where rows of many dimensions lie about rows of few, or about a dense center, the neighbors of
// most rows are the same few hubs, which are no neighbors of each other. Divisions do not lead to
// them, and joins around a hub take few of the rows that list it. Then all rows are compared with
// the rows that are listed most. It takes as many pairs as a division, and what it will find is
// foreseen: which of the missing neighbors of the rows that steer are hubs.

// hubs are the rows that are listed most, after so many stages of a build.
type hubs struct {
	*Method
	stages int
	places []uint32 // ascending
	gain   float64  // of recall, on the steering rows
}

// hubRows is the number of rows from which hubs are looked for: fewer are soon compared all with all.
const hubRows = outsetRows

// codesSpare is how far above the target, as a share of the rest, codes have to tell neighbors for hubs to
// take the place of all pairs. 0.9908 for 0.99 was too little: divisions came to 0.987, and keys followed.
const codesSpare = 0.25

// hubLists is about how many lists tell hubs, and hubEntries the most entries of them: more would be
// memory that no plan counts.
const hubLists, hubEntries = 1 << 15, 1 << 20

// first reports whether rows are compared with hubs before a stage of some kind: where that
// finds more than a division is expected to, or enough to pay where others do no longer. It happens
// once, and once again by keys: hubs that codes do not tell apart are missing afterwards as well.
func (h *hubs) first(kind string) bool {
	s, g := &h.State, &h.Goal
	if kind == "" || kind == job.PropagationStage || h.N() < hubRows || !g.Steered(s) || g.Capped() || h.Steer == nil ||
		s.Count(job.DivisionStage) == 0 || h.opts.Known != nil || h.found == nil || s.HubsCompared() {
		return false
	}
	if kind == job.ListsStage && !s.ByKeys() && s.Ceiling > 0 && s.Ceiling < g.Recall+codesSpare*(1-g.Recall) {
		return false // all pairs would have to follow
	}
	h.find()
	last := s.Last()
	least := job.StalledShare * (g.Wanted(last.Margin) - last.Recall)
	if kind == job.DivisionStage {
		least = fixed.AfterDivision(last.Recall, g.BallsDone(s), job.Overlap) - last.Recall
	}
	return h.gain > least
}

// find finds the rows that are listed most, and foresees the recall that comparing all rows with
// them gains.
func (h *hubs) find() {
	if h.stages == len(h.State.Stages) {
		return
	}
	lists := min(hubLists, max(1, hubEntries/h.found.K))
	var listed []uint32
	for place := 0; place < h.N(); place += (h.N() + lists - 1) / lists {
		for _, e := range h.found.Entries(uint32(place)) {
			listed = append(listed, e.Place())
		}
	}
	h.stages, h.places = len(h.State.Stages), mostListed(listed, min(job.Overlap*h.Set.LeafSize/2, h.N()/8))
	h.gain = h.missingAmong(h.places)
}

// mostListed returns the places that stand most often among some, which it sorts: count of them, or all,
// of those that stand as often the first; ascending.
func mostListed(listed []uint32, count int) (places []uint32) {
	slices.Sort(listed)
	var order []uint64 // the most listed first
	for from, i := 0, 1; i <= len(listed); i++ {
		if i == len(listed) || listed[i] != listed[from] {
			order = append(order, uint64(math.MaxUint32-(i-from))<<32|uint64(listed[from]))
			from = i
		}
	}
	count = min(count, len(order))
	hashrand.Least(order, count)
	for _, o := range order[:count] {
		places = append(places, uint32(o))
	}
	slices.Sort(places)
	return places
}

// missingAmong is the share of the neighbors of the rows that steer that are missing and among some
// places, which ascend.
func (h *hubs) missingAmong(places []uint32) float64 {
	missing, all := 0, 0
	exact := points.NewRanker(&h.Points, h.found)
	for i, place := range h.Steer.Places {
		near, _ := h.Steer.List(i)
		all += len(near)
		found, _, err := exact.List(place)
		if err != nil {
			return 0 // the next look at these rows tells
		}
		for _, other := range near {
			if _, hub := slices.BinarySearch(places, other); hub && !slices.Contains(found, other) {
				missing++
			}
		}
	}
	return float64(missing) / float64(max(all, 1))
}

// compare compares all rows with the hubs.
func (h *hubs) compare() error {
	h.find()
	places := h.places
	p := h.Begin("hubs", "rows", int64(h.N()))
	err := vectors.Apart(h.Job.Threads, h.N(), joinRange, func() func(from, to int) error {
		compare := h.comparer()
		return func(from, to int) error {
			if err := compare(from, to); err != nil {
				return err
			}
			p.Add(to - from)
			return h.Ctx.Err()
		}
	})
	if err != nil {
		return err
	}
	pairs := int64(h.N()) * int64(len(places))
	st := job.Stage{Kind: job.HubsStage, Number: h.State.Count(job.HubsStage) + 1, Requested: pairs, Evaluated: pairs}
	if err := h.look(&st); err != nil {
		return err
	}
	err = h.endBallStage(st)
	p.End("hubs %d: all rows with the %d that are listed most%s", st.Number, len(places), h.SteerNote())
	return err
}

// comparer returns one goroutine's function that compares a range of places with the hubs.
func (h *hubs) comparer() func(from, to int) error {
	leaf := slices.Clone(h.places)
	if !h.Keyed {
		tile, rows := leaves.NewTile(h.Codes, h.found), make([]uint32, 0, joinRange)
		return func(from, to int) error {
			rows = rows[:0]
			for place := from; place < to; place++ {
				rows = append(rows, uint32(place))
			}
			tile.Compare(leaf, rows)
			return nil
		}
	}
	keyed := leaves.Comparer(&h.Points, h.found)
	return func(from, to int) error {
		for place := uint32(from); place < uint32(to); place++ {
			leaf = append(leaf[:0], place)
			for _, hub := range h.places {
				if hub != place {
					leaf = append(leaf, hub)
				}
			}
			if _, err := keyed.Among(leaf, 1); err != nil {
				return err
			}
		}
		return nil
	}
}

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

// In some data, such as rows of many dimensions around rows of few, or around a dense center, most rows have
// the same few rows as neighbors: the hubs. Hubs are not neighbors of each other, so divisions do not lead to
// them, and joins around a hub take few of the rows that list it. The remedy is to compare all rows with the
// rows that are listed most. That takes about as many pairs as a division by codes, or three times those of a
// division by keys. Its gain is forecast: the missing neighbors of the steering rows that are hubs.

// hubs holds the rows that are listed most after a number of stages.
type hubs struct {
	*Method
	stages int
	places []uint32 // ascending
	gain   float64  // of recall, on the steering rows
}

// hubRows is the least number of rows for hubs: the exact method soon solves fewer.
const hubRows = outsetRows

// codesSpare is the least lead of the recall that codes can reach over the target, as a share of 1 - target,
// for hubs to replace all pairs. 0.9908 for 0.99 was too little: divisions reached 0.987, and keys followed.
const codesSpare = 0.25

// hubs are counted in about hubLists lists, and at most hubEntries entries of lists or counters of places,
// since plans count no more memory.
const hubLists, hubEntries = 1 << 15, 1 << 20

// first reports whether all rows are compared with hubs before a stage of the given kind: if that is expected
// to find more than a division, or enough to pay once nothing else does. It happens once by codes and once by
// keys, since hubs that codes cannot distinguish are still missing afterwards.
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
		least = h.divided()
	}
	return h.gain > least && (kind != job.ListsStage || h.spare())
}

// spare reports whether hubs are expected to save the build from comparing all pairs, or the tiers that it
// needs: hubs and the divisions after them, at their rate so far, take far fewer pairs. Otherwise the hubs
// are the first of the tiers. 25,000 rows of 150 independent columns, all about equally hard to find, took
// 1.74 times all pairs with hubs first, for 0.99, and 1.09 without. 8,000 rows, 16 of them near the center of
// all others, take 0.59 with hubs first, and 0.74 without. From the second division on, the forecast includes
// that divisions find less and less.
func (h *hubs) spare() bool {
	s, last := &h.State, h.State.Last()
	after := s.WithStage(job.Stage{Kind: job.HubsStage, Recall: last.Recall + h.gain, Margin: last.Margin})
	hubs := float64(len(h.places)) * h.Goal.PairCost(s)
	alone, _ := h.Goal.DivisionsAlone(&after) // known from the second division on, and more precise
	pairs := hubs + max(alone, h.Goal.SteadyDivisions(&after))
	return pairs <= hubsPay*s.AllPairs(h.N()) && pairs <= hubsPay*prospects{h.Method}.lists() // slow to compute, so last
}

// hubsPay is the largest share of all pairs, or of the needed tiers, for which hubs and divisions replace
// them. Builds with hubs took 0.46, 0.59 and 0.80 of all pairs when 0.60, 0.67 and 0.80 were forecast, and
// 1.2 to 1.74 when 0.94 to 1.7 were.
const hubsPay = 0.85

// divided returns the expected gain in recall of divisions with the pairs that hubs take, but of at least one
// division.
func (h *hubs) divided() float64 {
	s := &h.State
	leaves := max(job.Overlap, int(job.Overlap*float64(len(h.places))/max(1, s.DivisionPairs())))
	return fixed.AfterDivision(s.Last().Recall, h.Goal.BallsDone(s), leaves) - s.Last().Recall
}

// find finds the rows that are listed most, and forecasts the gain in recall of comparing all rows with them.
func (h *hubs) find() {
	if h.stages == len(h.State.Stages) {
		return
	}
	h.stages, h.places = len(h.State.Stages), mostListed(h.N(), min(job.Overlap*h.Set.LeafSize/2, h.N()/8), h.entries)
	h.gain = h.missingAmong(h.places)
}

// entries calls fn with every place in a sample of lists, evenly spread.
func (h *hubs) entries(fn func(place uint32)) {
	lists := min(hubLists, max(1, hubEntries/h.found.K))
	for place := 0; place < h.N(); place += (h.N() + lists - 1) / lists {
		for _, e := range h.found.Entries(uint32(place)) {
			fn(e.Place())
		}
	}
}

// mostListed returns, in ascending order, the count of n places that are most frequent among entries, or all
// that occur. Of equally frequent places it takes the first.
func mostListed(n, count int, entries func(fn func(place uint32))) (places []uint32) {
	order := counted
	if n > hubEntries {
		order = sorted
	}
	ranks := order(n, entries)
	count = min(count, len(ranks))
	hashrand.Least(ranks, count)
	for _, rank := range ranks[:count] {
		places = append(places, uint32(rank))
	}
	slices.Sort(places)
	return places
}

// rankOf returns a rank that sorts the place with the most lists first; by is how many lists hold it.
func rankOf(place uint32, by int) uint64 { return uint64(math.MaxUint32-by)<<32 | uint64(place) }

// counted returns the ranks of all listed places, with one counter per place.
func counted(n int, entries func(fn func(place uint32))) (ranks []uint64) {
	by := make([]uint32, n)
	entries(func(place uint32) { by[place]++ })
	for place, count := range by {
		if count > 0 {
			ranks = append(ranks, rankOf(uint32(place), int(count)))
		}
	}
	return ranks
}

// sorted returns the same ranks; its memory depends on the number of entries, not of places.
func sorted(_ int, entries func(fn func(place uint32))) (ranks []uint64) {
	var listed []uint32
	entries(func(place uint32) { listed = append(listed, place) })
	slices.Sort(listed)
	for from, i := 0, 1; i <= len(listed); i++ {
		if i == len(listed) || listed[i] != listed[from] {
			ranks = append(ranks, rankOf(listed[from], i-from))
			from = i
		}
	}
	return ranks
}

// missingAmong returns the share of the neighbors of steering rows that are missing and among places, which
// ascend.
func (h *hubs) missingAmong(places []uint32) float64 {
	missing, all := 0, 0
	exact := points.NewRanker(&h.Points, h.found)
	for i, place := range h.Steer.Places {
		near, _ := h.Steer.List(i)
		all += len(near)
		found, _, err := exact.List(place)
		if err != nil {
			return 0 // the next measurement of these rows returns the error
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

package builder

import (
	"fmt"

	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// The exact method compares blocks of rows with blocks of rows. In a round,
// every block meets at most one other (the circle method of round-robin
// tournaments), so the pairs of a round share no rows: they are the units of a
// stage, done in parallel without a lock. Round 0 compares each block with
// itself.

// stageRounds is how many rounds make a stage: folding may happen only between
// stages, and the blocks of a stage pile up until then.
const stageRounds = 8

// blockSide is the rows of a block: with 512 rows of 128 bytes two blocks stay
// in L2; smaller ones where there would be too few to keep the threads busy.
func (r *run) blockSide() int { return min(512, max(16, r.n()/32)) }

func (r *run) blockCount() int { return (r.n() + r.blockSide() - 1) / r.blockSide() }

// seats is the number of blocks made even: the last seat may be empty.
func (r *run) seats() int { return (r.blockCount() + 1) / 2 * 2 }

// exactStages is the number of stages of the exact method: rounds 0 to seats-1.
func (r *run) exactStages() int { return (r.seats() + stageRounds - 1) / stageRounds }

// exact runs the next stage.
func (r *run) exact() error {
	number := r.state.count(exactStage) + 1
	from := (number - 1) * stageRounds
	to := min(from+stageRounds, r.seats())
	if err := r.replay(r.stageNumber(), r.lists); err != nil {
		return err
	}
	p := r.begin("exact", "rounds", int64(r.seats()))
	p.done = int64(from)
	st := stage{Kind: exactStage, Number: number}
	for round := from; round < to; round++ {
		c, err := r.exactRound(round, from)
		if err != nil {
			return err
		}
		st.Requested += c.Requested
		st.Evaluated += c.Evaluated
		p.add(1)
	}
	err := r.endStage(st)
	p.end("")
	return err
}

// exactRound does one round as one unit of the stage.
func (r *run) exactRound(round, first int) (sum unitCounts, err error) {
	unit := round - first
	done, _, err := r.committed(stageRounds)
	if err != nil {
		return sum, err
	}
	if done[unit] {
		return r.unitCounts(unit)
	}
	pairs := roundPairs(round, r.seats(), r.blockCount())
	blocks := make([]store.Lists, len(pairs))
	counts := make([]unitCounts, len(pairs))
	err = vectors.Ranges(r.opts.Threads, len(pairs), 1, func() func(from, to int) error {
		w := r.exactWorker()
		return func(i, _ int) (err error) {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			if blocks[i], counts[i], err = w.solve(pairs[i]); err != nil {
				return fmt.Errorf("builder: blocks %d and %d: %w", pairs[i][0], pairs[i][1], err)
			}
			return nil
		}
	})
	if err != nil {
		return sum, err
	}
	for _, c := range counts {
		sum.add(c)
	}
	return sum, r.draft.CommitUnit(r.stageNumber(), uint32(unit), blocks, sum)
}

// unitCounts reads the counts of one committed unit of this stage.
func (r *run) unitCounts(unit int) (c unitCounts, err error) {
	err = r.draft.Units(r.stageNumber(), func(u uint32, note []byte) error {
		if int(u) != unit {
			return nil
		}
		return decodeNote(note, &c)
	})
	return c, err
}

// roundPairs pairs the blocks of a round: seat `seats-1` stays, the others
// rotate; pairs with an empty seat are left out. Round 0 pairs each block with
// itself, rounds 1 to seats-1 every two blocks once.
func roundPairs(round, seats, blocks int) (pairs [][2]int) {
	if round == 0 {
		for b := range blocks {
			pairs = append(pairs, [2]int{b, b})
		}
		return pairs
	}
	turning := seats - 1
	add := func(a, b int) {
		if a < blocks && b < blocks {
			pairs = append(pairs, [2]int{min(a, b), max(a, b)})
		}
	}
	add(round%turning, seats-1)
	for i := 1; i < seats/2; i++ {
		add((round+i)%turning, (round-i+turning)%turning)
	}
	return pairs
}

// exactWorker is one worker's tools.
type exactWorker struct {
	*run
	solver *leaf.Solver
	before union.Snapshot
	places []uint32

	tile    *codes.Tile // where there are codes
	bounds  []uint32    // of its columns
	numbers []uint32    // 0, 1, ...
	ids     []uint32
	keys    []float32
}

func (r *run) exactWorker() *exactWorker {
	w := &exactWorker{run: r, solver: r.solver()}
	if r.codes != nil {
		side := (r.blockSide() + 15) / 16 * 16
		w.tile, w.bounds, w.numbers = r.codes.NewTile(), make([]uint32, side), make([]uint32, side)
		w.keys = make([]float32, side)
		for i := range w.numbers {
			w.numbers[i] = uint32(i)
		}
	}
	return w
}

// solve compares two blocks, or one with itself, and returns what the lists
// gained.
func (w *exactWorker) solve(pair [2]int) (block store.Lists, c unitCounts, err error) {
	w.places = w.appendBlock(w.places[:0], pair[0])
	split := len(w.places)
	if pair[1] != pair[0] {
		w.places = w.appendBlock(w.places, pair[1])
	}
	w.before.Take(w.lists, w.places)
	var count leaf.Count
	switch {
	case w.tile != nil:
		count, err = w.tiles(split)
	case pair[1] == pair[0]:
		count, err = w.solver.Solve(w.places, nil, 0, w.both)
	default:
		count, err = w.solver.Cross(w.places, split, w.both)
	}
	block.Reset()
	w.before.Added(w.lists, block.Append)
	return block, unitCounts{Requested: count.Requested, Evaluated: count.Evaluated}, err
}

func (w *exactWorker) both(i int, js []uint32, keys []float32) {
	w.lists.OfferBoth(w.places, i, js, keys)
}

// tiles compares places[:split] with places[split:], or all with each other where
// nothing follows split, in tiles of codes. Pairs that may be near, as far as
// codes tell, are compared by their keys.
func (w *exactWorker) tiles(split int) (leaf.Count, error) {
	rows, columns := w.places[:split], w.places[split:]
	n := int64(len(rows)) * int64(len(columns))
	if len(columns) == 0 {
		columns = rows
		n = int64(split) * int64(split-1) / 2
	}
	count := leaf.Count{Requested: n, Evaluated: n}
	w.tile.Columns(columns, w.numbers[:len(columns)])
	mostRow, mostColumn := w.mostError(rows), w.mostError(columns)
	for j, y := range columns {
		w.bounds[j] = w.codes.Reach(y, w.lists.Worst(y), mostRow)
	}
	for first := 0; first < len(rows); first += codes.BandRows {
		band := rows[first:min(first+codes.BandRows, len(rows))]
		w.tile.Rows(band, len(columns))
		for r, x := range band {
			distances, near := w.tile.Either(r, w.codes.Reach(x, w.lists.Worst(x), mostColumn), w.bounds)
			if err := w.offer(x, columns, distances, near, mostRow); err != nil {
				return count, err
			}
		}
	}
	return count, nil
}

// mostError is the largest error of the codes of some places.
func (w *exactWorker) mostError(places []uint32) (most float32) {
	for _, p := range places {
		most = max(most, w.codes.Error(p))
	}
	return most
}

// offer offers the columns numbered near to x, and x to them.
func (w *exactWorker) offer(x uint32, columns []uint32, distances, near []uint32, mostRow float32) error {
	w.ids = w.ids[:0]
	for _, j := range near {
		w.ids = append(w.ids, columns[j])
	}
	keys := w.keys[:len(near)]
	if w.codes.Exact() {
		for i, d := range distances {
			keys[i] = float32(d)
		}
	} else if _, err := w.solver.Keys(x, w.ids, keys); err != nil {
		return err
	}
	for i, y := range w.ids {
		if y == x {
			continue
		}
		w.lists.Offer(x, y, keys[i])
		if w.lists.Offer(y, x, keys[i]) {
			w.bounds[near[i]] = w.codes.Reach(y, w.lists.Worst(y), mostRow)
		}
	}
	return nil
}

func (w *exactWorker) appendBlock(dst []uint32, b int) []uint32 {
	side := w.blockSide()
	for p := b * side; p < min((b+1)*side, w.n()); p++ {
		dst = append(dst, uint32(p))
	}
	return dst
}

package explore

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/store"
)

// mapRows is the most rows that a map shows. A hundred thousand points fill a screen, and
// take the layout some ten seconds.
const mapRows = 100_000

// mapNeighbors is how many neighbors of a row the layout goes by; more make maps rounder
// and slower.
const mapNeighbors = 12

// nobody is the owner of a row that no sampled row reaches.
const nobody = ^uint32(0)

// sampled are the rows on the map, ascending, and the edges between them, by number.
func sampled(ctx context.Context, g Graph, most int) (rows []uint32, pairs [][2]uint32, err error) {
	n := g.Len()
	owner := make([]uint32, n)
	for i := range owner {
		owner[i] = nobody
	}
	rows = drawn(n, most)
	for i, row := range rows {
		owner[row] = uint32(i)
	}
	if len(rows) < n {
		if err := spreadOwners(ctx, g, owner); err != nil {
			return nil, nil, err
		}
	}
	pairs, err = pairsOf(ctx, g, owner)
	return rows, pairs, err
}

// drawn are all rows, or most of them at random.
func drawn(n, most int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	if n <= most {
		return rows
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range most {
		j := i + rng.IntN(n-i)
		rows[i], rows[j] = rows[j], rows[i]
	}
	rows = rows[:most]
	slices.Sort(rows)
	return rows
}

// spreadOwners gives every row to the sampled row that a neighbor belongs to, in passes
// over the lists, until a pass gives away less than a thousandth of the rows.
func spreadOwners(ctx context.Context, g Graph, owner []uint32) error {
	for given := len(owner); given > len(owner)/1000; {
		given = 0
		err := under{g, ctx}.EachKeyed(func(row store.Row, neighbors []uint32, _ []float32) error {
			for _, other := range neighbors {
				switch {
				case owner[row] == nobody && owner[other] != nobody:
					owner[row] = owner[other]
					given++
				case owner[row] != nobody && owner[other] == nobody:
					owner[other] = owner[row]
					given++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pairsOf are the pairs of owners whose rows list each other, at most mapNeighbors for an
// owner that names others, without repetitions.
func pairsOf(ctx context.Context, g Graph, owner []uint32) (pairs [][2]uint32, err error) {
	named := make(map[uint64]bool)
	count := make(map[uint32]int)
	err = under{g, ctx}.EachKeyed(func(row store.Row, neighbors []uint32, _ []float32) error {
		a := owner[row]
		for _, other := range neighbors {
			b := owner[other]
			if a == nobody || b == nobody || a == b || count[a] == mapNeighbors {
				continue
			}
			if key := uint64(min(a, b))<<32 | uint64(max(a, b)); !named[key] {
				named[key] = true
				count[a]++
				pairs = append(pairs, [2]uint32{a, b})
			}
		}
		return nil
	})
	return pairs, err
}

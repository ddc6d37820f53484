package analysis

import (
	"fmt"

	"github.com/knng/knng/store"
)

// RankDistances are the distances of all rows to their neighbor of one rank.
type RankDistances struct {
	Rank      int       `json:"rank"`      // 1 is the nearest
	Rows      int       `json:"rows"`      // rows with such a neighbor
	Mean      float64   `json:"mean"`      // of their distances, as people see them
	Quantiles []float32 `json:"quantiles"` // at the shares asked for
}

// MeasureDistances gives, for every rank from 1 to K, the quantiles at the shares
// (0 to 1) of the distances to the neighbors of that rank, as people see them.
func MeasureDistances(g Graph, ranks []int, shares []float64) ([]RankDistances, error) {
	if err := checkShares(shares); err != nil {
		return nil, err
	}
	values := make([][]float32, len(ranks))
	for i, rank := range ranks {
		if rank < 1 || rank > g.K() {
			return nil, fmt.Errorf("analysis: rank %d, want 1 to %d", rank, g.K())
		}
		values[i] = make([]float32, 0, g.Len())
	}
	err := g.EachKeyed(func(_ store.Row, _ []uint32, keys []float32) error {
		for i, rank := range ranks {
			if rank <= len(keys) {
				values[i] = append(values[i], g.Shown(keys[rank-1]))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]RankDistances, len(ranks))
	for i, rank := range ranks {
		list[i] = RankDistances{Rank: rank, Rows: len(values[i]), Mean: mean(values[i]), Quantiles: quantiles(values[i], shares)}
	}
	return list, nil
}

func mean(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(max(1, len(values)))
}

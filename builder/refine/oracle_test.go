package refine_test

import (
	"cmp"
	"slices"
)

// graph is lists of neighbors by row, nearest first.
type graph [][]near

type near struct {
	row uint32
	key float32
}

func byKeyAndRow(a, b near) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) }

// refined is the package comment's definition of G2, with no structure but
// lists that are sorted again and again.
func refined(g1 graph, d func(a, b uint32) float32, k, visits int) graph {
	start := make(graph, len(g1))
	rows := 0
	for p, list := range g1 {
		for _, e := range list {
			start[p] = append(start[p], near{e.row, d(uint32(p), e.row)})
		}
		slices.SortFunc(start[p], byKeyAndRow)
		if len(list) > 0 {
			rows++
		}
	}
	offered := make([]map[uint32]float32, len(g1))
	for p := range offered {
		offered[p] = map[uint32]float32{}
	}
	for p := range start {
		for _, e := range visitedAround(start, d, uint32(p), visits) {
			offered[p][e.row] = e.key
			offered[e.row][uint32(p)] = e.key
		}
	}
	k = min(k, rows-1)
	g2 := make(graph, len(g1))
	for p := range g2 {
		if len(g1[p]) == 0 {
			continue
		}
		if len(offered[p]) < k { // its component is too small
			for q := range g1 {
				if q != p && len(g1[q]) > 0 {
					offered[p][uint32(q)] = d(uint32(p), uint32(q))
				}
			}
		}
		for row, key := range offered[p] {
			g2[p] = append(g2[p], near{row, key})
		}
		slices.SortFunc(g2[p], byKeyAndRow)
		g2[p] = g2[p][:k]
	}
	return g2
}

// visitedAround is the walk around p, rows in the order of visiting.
func visitedAround(start graph, d func(a, b uint32) float32, p uint32, most int) (visited []near) {
	seen := map[uint32]bool{p: true}
	visit := func(q uint32) {
		for _, e := range start[q] {
			if !seen[e.row] && len(visited) < most {
				seen[e.row] = true
				visited = append(visited, near{e.row, d(p, e.row)})
			}
		}
	}
	visit(p)
	for expanded := map[uint32]bool{}; len(visited) < most; {
		best := near{}
		found := false
		for _, e := range visited {
			if !expanded[e.row] && (!found || byKeyAndRow(e, best) < 0) {
				best, found = e, true
			}
		}
		if !found {
			break
		}
		expanded[best.row] = true
		visit(best.row)
	}
	return visited
}

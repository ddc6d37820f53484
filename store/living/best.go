package living

import (
	"cmp"
	"math"
	"slices"
)

type keyed struct {
	row uint32
	key float32
}

// best keeps the k least keys, of equal keys those of lower rows, or all keys if k is 0. It is a heap with
// the worst on top.
type best struct {
	k   int
	all []keyed
}

func (b *best) worse(i, j int) bool {
	x, y := b.all[i], b.all[j]
	return x.key > y.key || x.key == y.key && x.row > y.row
}

func (b *best) offer(row uint32, key float32) {
	if b.k == 0 || len(b.all) < b.k {
		b.all = append(b.all, keyed{row, key})
		for i := len(b.all) - 1; b.k > 0 && i > 0 && b.worse(i, (i-1)/2); i = (i - 1) / 2 {
			b.all[i], b.all[(i-1)/2] = b.all[(i-1)/2], b.all[i]
		}
		return
	}
	if top := b.all[0]; key > top.key || key == top.key && row > top.row {
		return
	}
	b.all[0] = keyed{row, key}
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(b.all); c++ {
			if b.worse(c, worst) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		b.all[i], b.all[worst] = b.all[worst], b.all[i]
		i = worst
	}
}

// full reports whether there are k keys.
func (b *best) full() bool { return b.k > 0 && len(b.all) >= b.k }

// bound returns the worst kept key if there are k: no larger key enters.
func (b *best) bound() float32 {
	if !b.full() {
		return float32(math.Inf(1))
	}
	return b.all[0].key
}

// sort sorts all by key; nothing may be offered afterwards.
func (b *best) sort() {
	slices.SortFunc(b.all, func(x, y keyed) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.row, y.row)) })
}

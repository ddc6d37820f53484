package affinity

import (
	"cmp"
	"context"
	"math"
)

// propagation is the state between two iterations: messages of rows to
// themselves here, those along edges in a file.
//
// The two steps of the definition, responsibilities and then
// availabilities, are one pass here: an availability needs only sums over all
// rows, so it is computed when the next pass comes to its edge.
type propagation struct {
	n          int
	lists      Lists
	opts       Options
	preference float64
	scale      float64 // of what breaks ties: that of the similarities

	own      []float64 // r(k,k)
	nextOwn  []float64 // of this pass, which reads those of the last
	trust    []float64 // a(k,k)
	sums     []float64 // sum over i' != k of max(0, r(i',k)), of the last pass
	next     []float64 // of this one
	exemplar []bool
	messages *messages
	rounds   int
	listed   int // rows with a list

	r, a []float64 // of the row at hand
}

func newPropagation(n int, lists Lists, preference float32, scale float64, opts Options) *propagation {
	return &propagation{n: n, lists: lists, opts: opts, preference: float64(preference), scale: scale, messages: &messages{dir: opts.Scratch},
		own: make([]float64, n), nextOwn: make([]float64, n), trust: make([]float64, n), sums: make([]float64, n), next: make([]float64, n), exemplar: make([]bool, n)}
}

func (p *propagation) close() { p.messages.close() }

// iterate does one pass and reports whether the exemplars changed and how many
// there are.
func (p *propagation) iterate(ctx context.Context) (changed bool, count int, err error) {
	if err := cmp.Or(ctx.Err(), p.messages.begin()); err != nil {
		return false, 0, err
	}
	clear(p.next)
	for i := range p.nextOwn {
		p.nextOwn[i] = math.Inf(1) // a row that can follow nobody leads
	}
	p.listed = 0
	err = p.lists(func(i uint32, to []uint32, s []float32) error {
		if len(to) == 0 {
			return nil
		}
		p.listed++
		if err := p.read(len(to)); err != nil {
			return err
		}
		if p.rounds > 0 {
			for j, k := range to {
				p.a[j] = p.damped(p.a[j], math.Min(0, p.own[k]+p.sums[k]-math.Max(0, p.r[j])))
			}
		}
		p.nextOwn[i] = p.respond(i, to, s)
		for j, k := range to {
			p.next[k] += math.Max(0, p.r[j])
		}
		return p.messages.put(p.r, p.a)
	})
	if err == nil {
		err = p.messages.end()
	}
	if err != nil {
		return false, 0, err
	}
	p.own, p.nextOwn = p.nextOwn, p.own
	p.sums, p.next = p.next, p.sums
	changed, count = p.decide()
	p.rounds++
	return changed || p.rounds == 1, count, nil
}

// read brings the messages of a row with so many neighbors into r and a.
func (p *propagation) read(neighbors int) error {
	p.r = append(p.r[:0], make([]float64, neighbors)...)
	p.a = append(p.a[:0], make([]float64, neighbors)...)
	if p.rounds == 0 {
		return nil
	}
	return p.messages.get(p.r, p.a)
}

func (p *propagation) damped(before, now float64) float64 {
	return p.opts.Damping*before + (1-p.opts.Damping)*now
}

// respond computes the responsibilities of a row, in r, and returns the one to
// itself. All but the best alternative compete with the best; that one with the
// second.
func (p *propagation) respond(i uint32, to []uint32, s []float32) float64 {
	own := p.similarity(i, i, p.preference)
	best, second, at := p.trust[i]+own, math.Inf(-1), -1
	for j, k := range to {
		v := p.a[j] + p.similarity(i, k, float64(s[j]))
		if v > best {
			best, second, at = v, best, j
		} else if v > second {
			second = v
		}
	}
	for j, k := range to {
		rival := best
		if j == at {
			rival = second
		}
		p.r[j] = p.damped(p.r[j], p.similarity(i, k, float64(s[j]))-rival)
	}
	rival := best
	if at < 0 {
		rival = second
	}
	return p.damped(p.own[i], own-rival)
}

// similarity is s(i,k) with the term that breaks ties.
func (p *propagation) similarity(i, k uint32, s float64) float64 {
	noise := tieBreak(p.opts.Seed, i, k, p.scale)
	if i == k && p.preference == 0 {
		noise -= 2e-9 * p.scale
	}
	return s + noise
}

// tieBreak is a billionth of the scale times a hash from 0 to 1: less than the
// resolution of float32 similarities, and never the same twice.
func tieBreak(seed uint64, i, k uint32, scale float64) float64 {
	x := seed ^ (uint64(i)<<32 | uint64(k))
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return 1e-9 * scale * (float64(x>>11) / (1 << 53))
}

// decide computes the availabilities of rows to themselves and who is an exemplar, and
// counts those that have been found: a row without a list leads from the start, and says
// nothing of how far the others are.
func (p *propagation) decide() (changed bool, count int) {
	for k := range p.n {
		p.trust[k] = p.damped(p.trust[k], p.sums[k])
		is := p.own[k]+p.trust[k] > 0
		changed = changed || is != p.exemplar[k]
		p.exemplar[k] = is
		if is && !math.IsInf(p.own[k], 1) {
			count++
		}
	}
	return changed, count
}

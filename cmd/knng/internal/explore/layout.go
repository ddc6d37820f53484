package explore

import (
	"context"
	"math"
	"math/rand/v2"
)

// A layout gives every node of an undirected graph a position in the plane, near where
// its neighbors are: two eigenvectors of the random walk to begin with, then the
// attraction and sampled repulsion of McInnes, Healy, Melville, "UMAP" (2018),
// section 3.2. It is a function of the graph and the seed, computed by one goroutine.
type layout struct {
	n     int
	first []uint32 // edges of node i are to[first[i]:first[i+1]]
	to    []uint32
	x, y  []float32
}

// The shape of attraction: 1/(1+curve d²), which is UMAP's for a least distance of 0.1
// with its exponent rounded to 1, so that no power has to be computed.
const curve = 1.6

// negatives is how many random nodes push a node away for each neighbor that draws it.
const negatives = 4

// edgesOf sorts undirected edges by node. Each pair counts once in each direction.
func edgesOf(n int, pairs [][2]uint32) (first, to []uint32) {
	first = make([]uint32, n+1)
	for _, p := range pairs {
		first[p[0]+1]++
		first[p[1]+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	at := append([]uint32(nil), first[:n]...)
	to = make([]uint32, 2*len(pairs))
	for _, p := range pairs {
		to[at[p[0]]] = p[1]
		at[p[0]]++
		to[at[p[1]]] = p[0]
		at[p[1]]++
	}
	return first, to
}

// newLayout places the nodes of the graph. It tells which share is done, again and again, and
// ends early with ctx.
func newLayout(ctx context.Context, n int, pairs [][2]uint32, seed uint64, told func(share float64)) (*layout, error) {
	l := &layout{n: n, x: make([]float32, n), y: make([]float32, n)}
	l.first, l.to = edgesOf(n, pairs)
	rng := rand.New(rand.NewPCG(seed, 0x6d6170))
	l.begin(rng)
	return l, l.refine(ctx, rng, l.epochs(), told)
}

// epochs is how often every edge draws: about 200 million draws in all, which take some
// ten seconds, at least 30 rounds and at most 300. Fewer leave clusters stretched out.
func (l *layout) epochs() int { return max(30, min(300, 200_000_000/(len(l.to)+1))) }

// walks is the number of power iterations. Two hundred would separate close eigenvalues
// better; the refinement makes up for that.
const walks = 60

// begin sets positions by two eigenvectors of the lazy random walk, and a little noise.
func (l *layout) begin(rng *rand.Rand) {
	u, v, next := l.noise(rng), l.noise(rng), make([]float64, l.n)
	for range walks {
		u, next = l.walk(u, next)
		l.remove(u, nil)
		v, next = l.walk(v, next)
		l.remove(v, u)
	}
	su, sv := 10/spread(u), 10/spread(v)
	for i := range l.n {
		l.x[i] = float32(max(-15, min(15, u[i]*su)) + 0.05*rng.NormFloat64())
		l.y[i] = float32(max(-15, min(15, v[i]*sv)) + 0.05*rng.NormFloat64())
	}
}

func (l *layout) noise(rng *rand.Rand) []float64 {
	v := make([]float64, l.n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// walk averages every value with the mean of its neighbors', into next.
func (l *layout) walk(v, next []float64) (result, room []float64) {
	for i := range l.n {
		edges := l.to[l.first[i]:l.first[i+1]]
		sum := 0.0
		for _, j := range edges {
			sum += v[j]
		}
		next[i] = v[i]
		if len(edges) > 0 {
			next[i] = (v[i] + sum/float64(len(edges))) / 2
		}
	}
	return next, v
}

// remove takes the constant part out of v and the part along u, and makes its length 1.
// Products are weighted by degree: the walk is symmetric in these.
func (l *layout) remove(v, u []float64) {
	var mean, along, weight, length float64
	for i := range v {
		w := float64(l.first[i+1] - l.first[i])
		weight += w
		mean += w * v[i]
	}
	mean /= max(weight, 1)
	for i := range v {
		v[i] -= mean
		if u != nil {
			along += float64(l.first[i+1]-l.first[i]) * v[i] * u[i]
		}
	}
	for i := range v {
		if u != nil {
			v[i] -= along * u[i]
		}
		length += float64(l.first[i+1]-l.first[i]) * v[i] * v[i]
	}
	if length = math.Sqrt(length); length < 1e-150 {
		return // a graph without edges has no such part: noise stays
	}
	for i := range v {
		v[i] /= length
	}
}

// spread is twice the root mean square of v: most values lie within it.
func spread(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	return max(2*math.Sqrt(sum/float64(max(1, len(v)))), 1e-300)
}

// refine draws nodes to their neighbors and pushes them from random others.
func (l *layout) refine(ctx context.Context, rng *rand.Rand, epochs int, told func(share float64)) error {
	state := rng.Uint64() | 1
	for epoch := range epochs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		told(float64(epoch) / float64(epochs))
		rate := float32(epochs-epoch) / float32(epochs)
		for i := range uint32(l.n) {
			for _, j := range l.to[l.first[i]:l.first[i+1]] {
				l.draw(i, j, rate)
				if j&1 == i&1 { // each edge stands in both lists: push for half of them
					continue
				}
				for range negatives {
					state ^= state << 13
					state ^= state >> 7
					state ^= state << 17
					l.push(i, uint32(state>>33)%uint32(l.n), rate)
				}
			}
		}
	}
	return nil
}

// draw moves node i towards its neighbor j.
func (l *layout) draw(i, j uint32, rate float32) {
	dx, dy := l.x[i]-l.x[j], l.y[i]-l.y[j]
	g := -2 * curve / (1 + curve*(dx*dx+dy*dy)) * rate
	l.move(i, g*dx, g*dy)
}

// push moves node i away from a node j that it happens to meet.
func (l *layout) push(i, j uint32, rate float32) {
	if i == j {
		return
	}
	dx, dy := l.x[i]-l.x[j], l.y[i]-l.y[j]
	d := dx*dx + dy*dy
	g := 2 / ((0.01 + d) * (1 + curve*d)) * rate
	l.move(i, g*dx, g*dy)
}

// move bounds a step, so that near nodes do not throw each other out.
func (l *layout) move(i uint32, dx, dy float32) {
	l.x[i] += max(-4, min(4, dx))
	l.y[i] += max(-4, min(4, dy))
}

package generate

const (
	manifolds = 16
	clumps    = 8  // of a manifold
	latents   = 24 // parameters of a manifold
	bends     = latents / 2
	features  = latents + bends
	padded    = 64   // features, and zeros up to a power of two
	picks     = 8    // features that an element depends on
	bend      = 0.35 // how far a product of two parameters leads away
)

// weight gives elements a variance of about 1: a feature's is about 0.5.
const weight = 0.5

// model is all that a seed and a dimension decide.
type model struct {
	dim       int
	seed      uint64
	manifolds [manifolds]manifold
	clumps    [manifolds * clumps]clump
	upTo      [manifolds * clumps]float64 // cumulative weights, the last 1
}

// manifold maps parameters to rows: M, of which a row has picks entries.
type manifold []element

// element is one of a row: center + sum of weights[p] * u[of[p]].
type element struct {
	center  float32
	weights [picks]float32
	of      [picks]uint8
}

// clump is where parameters are drawn from.
type clump struct {
	mean  [latents]float32
	width float32
}

func newModel(dim int, seed uint64) *model {
	m := &model{dim: dim, seed: mix(seed)}
	r := stream(mix(m.seed + 1))
	for i := range m.manifolds {
		f := make(manifold, dim)
		for j := range f {
			f[j].center = 0.4 * r.normal()
			for p := range picks {
				f[j].of[p] = uint8(r.next() % features)
				f[j].weights[p] = weight * r.normal()
			}
		}
		m.manifolds[i] = f
	}
	sum := 0.0
	for i := range m.clumps {
		c := &m.clumps[i]
		for l := range c.mean {
			c.mean[l] = 0.5 * r.normal()
		}
		c.width = 0.5 + 0.5*float32(r.uniform())
		sum += 1 + float64(3*r.uniform())
		m.upTo[i] = sum
	}
	for i := range m.upTo {
		m.upTo[i] /= sum
	}
	return m
}

// row computes row i into x.
func (m *model) row(i uint64, x []float32) {
	r := stream(mix(m.seed ^ mix(i)))
	at, p := 0, r.uniform()
	for at < len(m.upTo)-1 && m.upTo[at] < p {
		at++
	}
	var u [padded]float32
	m.clumps[at].draw(&r, &u)
	f := m.manifolds[at/clumps]
	for j := range x {
		x[j] = f[j].of8(&u)
	}
}

// of8 computes an element. Products are rounded, here and elsewhere, so that no
// compiler fuses them.
func (e *element) of8(u *[padded]float32) float32 {
	term := func(p int) float32 { return float32(e.weights[p] * u[e.of[p]%padded]) }
	return e.center + ((term(0) + term(1)) + (term(2) + term(3))) + ((term(4) + term(5)) + (term(6) + term(7)))
}

// draw fills in features. A product is taken less its mean over the clumps, 0.
func (c *clump) draw(r *stream, u *[padded]float32) {
	for l := range latents {
		u[l] = c.mean[l] + float32(c.width*r.normal())
	}
	for b := range bends {
		u[latents+b] = bend * float32(u[b]*u[b+bends])
	}
	for l := range latents {
		u[l] *= amplitudes[l]
	}
}

// amplitudes fall evenly from 1 to 0.4, as the spectra of natural data fall.
var amplitudes = func() (a [latents]float32) {
	for l := range a {
		a[l] = 1 - 0.6*float32(l)/(latents-1)
	}
	return a
}()

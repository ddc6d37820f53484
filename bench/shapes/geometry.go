package shapes

import (
	"math"
	"math/rand/v2"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Shapes that geometry and coding theory know: dust, shells, threads, lattices, codes, trees.

// geometric lists these shapes.
func geometric() []Shape {
	return []Shape{
		{"dust", 50_000, 16, vectors.Float32, []distance.Metric{distance.Euclidean, distance.Cosine, distance.L1, distance.Chebyshev}, dust},
		{"shells", 50_000, 64, vectors.Float32, every, shells},
		{"rings-in-a-cloud", 50_000, 32, vectors.Float32, angular, rings},
		{"threads", 60_000, 100, vectors.Float32, euclidean, threads},
		{"rolled-unevenly", 50_000, 100, vectors.Float32, euclidean, rolledUnevenly},
		{"arms", 50_000, 50, vectors.Float32, angular, arms},
		{"sheet-and-cloud", 50_000, 60, vectors.Float32, angular, sheetAndCloud},
		{"torus", 60_000, 12, vectors.Float32, every, torus},
		{"gauss-150", 25_000, 150, vectors.Float32, angular, gauss},
		{"twins", 40_000, 80, vectors.Float32, angular, alike(2)},
		{"triplets", 30_000, 80, vectors.Float32, angular, alike(3)},
		{"lattice", 40_000, 8, vectors.Float32, every, lattice},
		{"lattice-with-noise", 40_000, 20, vectors.Float32, []distance.Metric{distance.Euclidean, distance.L1}, latticeWithNoise},
		{"permutations", 40_000, 20, vectors.Uint8, []distance.Metric{distance.Euclidean, distance.L1, distance.Correlation}, permutations},
		{"code-words", 65_536, 32, vectors.Int8, every, codeWords},
		{"packed-code-words", 65_536, 4, vectors.Uint8, sets, packedCodeWords},
		{"simplex", 3_000, 3_000, vectors.Float32, every, simplex},
		{"tree", 50_000, 10, vectors.Float32, angular, tree},
		{"waves-on-a-square", 40_000, 40, vectors.Float32, angular, waves},
		{"powers", 40_000, 12, vectors.Float32, angular, powers},
	}
}

// dust is Cantor's: every element is a sum of some of 2/3, 2/9, 2/27 and so on.
func dust(rng *rand.Rand, _, _ int) func(int, []float64) {
	const deep = 16
	return func(_ int, row []float64) {
		for j := range row {
			third := 1.0
			for range deep {
				third /= 3
				row[j] += 2 * third * float64(rng.IntN(2))
			}
		}
	}
}

// direction writes a row of length 1.
func direction(rng *rand.Rand, row []float64) {
	normals(rng, row, 1)
	var squares float64
	for _, x := range row {
		squares += x * x
	}
	for j := range row {
		row[j] /= math.Sqrt(squares)
	}
}

// shells are spheres around zero, each twice as large as the one in it.
func shells(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		direction(rng, row)
		radius := math.Ldexp(1, rng.IntN(11))
		for j := range row {
			row[j] *= radius
		}
	}
}

// rings are tiny circles within one large cloud.
func rings(rng *rand.Rand, _, dim int) func(int, []float64) {
	const count = 50
	centers, axes := table(rng, count, dim), table(rng, 2*count, dim)
	return func(_ int, row []float64) {
		if rng.IntN(2) == 0 {
			normals(rng, row, 100)
			return
		}
		ring, at := rng.IntN(count), 2*math.Pi*rng.Float64()
		add(row, centers[ring], 100)
		add(row, axes[2*ring], 1e-3*math.Cos(at))
		add(row, axes[2*ring+1], 1e-3*math.Sin(at))
	}
}

// threads are random walks of small steps, 200 rows each, far from each other.
func threads(rng *rand.Rand, _, dim int) func(int, []float64) {
	at := make([]float64, dim)
	return func(i int, row []float64) {
		if i%200 == 0 {
			normals(rng, at, 2)
		}
		for j := range row {
			at[j] += 0.1 * rng.NormFloat64()
		}
		copy(row, at)
	}
}

// rolledUnevenly is a rolled sheet that is dense inside, with noise from none to as much as
// neighbors are apart.
func rolledUnevenly(rng *rand.Rand, _, dim int) func(int, []float64) {
	axes := table(rng, 3, dim)
	return func(_ int, row []float64) {
		u := rng.Float64()
		t := 1.5 * math.Pi * (1 + 2*u*u*u)
		normals(rng, row, math.Pow(10, -4*rng.Float64()))
		for i, x := range [3]float64{t * math.Cos(t), 21 * rng.Float64(), t * math.Sin(t)} {
			add(row, axes[i], x/10)
		}
	}
}

// arms are rays from zero on which rows thin out as they do in a heavy tail.
func arms(rng *rand.Rand, _, dim int) func(int, []float64) {
	axes := table(rng, 100, dim)
	return func(_ int, row []float64) {
		normals(rng, row, 1e-3)
		add(row, axes[rng.IntN(len(axes))], 1/(1-rng.Float64())-1)
	}
}

// sheetAndCloud has one half of the rows in three dimensions, and the other in all.
func sheetAndCloud(rng *rand.Rand, n, _ int) func(int, []float64) {
	return func(i int, row []float64) {
		if i < n/2 {
			normals(rng, row[:3], 1)
			for j := range row {
				row[j] += 20
			}
			return
		}
		normals(rng, row, 1)
	}
}

// torus rows are sines and cosines of angles.
func torus(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := 0; j+1 < len(row); j += 2 {
			row[j], row[j+1] = math.Sincos(2 * math.Pi * rng.Float64())
		}
	}
}

// alike rows come in twos, or more, each as good as one row, far from all others.
func alike(count int) filler {
	return func(rng *rand.Rand, n, dim int) func(int, []float64) {
		first := table(rng, (n+count-1)/count, dim)
		return func(i int, row []float64) {
			normals(rng, row, 1e-3)
			add(row, first[i/count], 1)
		}
	}
}

// lattice rows are short vectors of E8: whole numbers, or halves of odd ones, of an even sum.
func lattice(rng *rand.Rand, _, dim int) func(int, []float64) {
	return func(_ int, row []float64) {
		for {
			var sum, squares float64
			half := 0.5 * float64(rng.IntN(2))
			for j := range dim {
				row[j] = float64(rng.IntN(4)-2) + half
				sum += row[j]
				squares += row[j] * row[j]
			}
			if math.Mod(sum, 2) == 0 && 0 < squares && squares <= 10 {
				return
			}
		}
	}
}

func latticeWithNoise(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			row[j] = float64(rng.IntN(3)) + 1e-4*rng.NormFloat64()
		}
	}
}

func permutations(rng *rand.Rand, _, dim int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j, x := range rng.Perm(dim) {
			row[j] = float64(x)
		}
	}
}

// codeWords are those of the second order Reed-Muller code of length 32: any two differ in 8
// places at least, and each has the same distances to all others.
func codeWords(_ *rand.Rand, _, _ int) func(int, []float64) {
	return func(i int, row []float64) {
		for j := range row {
			row[j] = 1 - 2*float64(codeBit(uint(i)*40503, uint(j)))
		}
	}
}

// codeBit is bit j of a word: a polynomial of degree 2 of the bits of j, whose coefficients are
// the bits of word.
func codeBit(word, j uint) uint {
	sum, term := word&1, 1
	for a := range uint(5) {
		sum ^= (word >> term) & (j >> a) & 1
		term++
		for b := range a {
			sum ^= (word >> term) & (j >> a) & (j >> b) & 1
			term++
		}
	}
	return sum
}

func packedCodeWords(_ *rand.Rand, _, _ int) func(int, []float64) {
	return func(i int, row []float64) {
		for j := range row {
			for bit := range 8 {
				row[j] = 2*row[j] + float64(codeBit(uint(i)*40503, uint(8*j+bit)))
			}
		}
	}
}

// simplex rows are all equally far from each other.
func simplex(_ *rand.Rand, _, dim int) func(int, []float64) {
	return func(i int, row []float64) { row[i%dim] = 1 }
}

// tree rows are the nodes of a tree in a ball: each lies between its parent, which has two other
// children, and the surface.
func tree(rng *rand.Rand, n, dim int) func(int, []float64) {
	nodes := make([][]float64, 0, n)
	return func(i int, row []float64) {
		direction(rng, row)
		if i == 0 {
			nodes = append(nodes, make([]float64, dim))
			return
		}
		parent := nodes[(i-1)/3]
		var squares float64
		for _, x := range parent {
			squares += x * x
		}
		room := max(0, 1-math.Sqrt(squares))
		for j := range row {
			row[j] = parent[j] + 0.45*room*row[j]
		}
		nodes = append(nodes, append([]float64(nil), row...))
	}
}

// waves are eigenvectors of the Laplacian of a square grid, at its nodes.
func waves(_ *rand.Rand, n, dim int) func(int, []float64) {
	side := max(1, int(math.Sqrt(float64(n))))
	return func(i int, row []float64) {
		x, y := math.Pi*(float64(i%side)+0.5)/float64(side), math.Pi*(float64(i/side)+0.5)/float64(side)
		for j := range row {
			along, across := float64((j+1)%7), float64((j+1)/7)
			row[j] = math.Cos(along*x) * math.Cos(across*y)
		}
	}
}

// powers are elements of any size from 1e-9 to 1e9.
func powers(rng *rand.Rand, _, _ int) func(int, []float64) {
	return func(_ int, row []float64) {
		for j := range row {
			row[j] = math.Pow(10, 18*rng.Float64()-9)
		}
	}
}

package plan

import "math"

// An Aim is the target of a build and the counts that its cost depends on, for guessing the
// cost before it is known.
type Aim struct {
	Recall    float64
	Switch    float64 // recall from which joins take over from divisions
	Rows      int64
	Intrinsic float64 // dimension of the rows, as a small sample shows it; 0: unknown
	Overlap   int     // leaves that a row stands in within a division
	LeafSize  int     // leaves have fewer rows
	Most      int     // divisions
	Luck      float64 // how much more stages find than is to be expected, in standard deviations; see Lucks
}

// usualIntrinsic is the dimension taken where none is known: that of image descriptors.
const usualIntrinsic = 15

// asked is the recall that a build goes on to: two standard errors on its steering rows
// above its target, at most 0.01. They were 0.004 to 0.011 at 0.95, 0.0016 at 0.99.
func (a *Aim) asked() float64 {
	return math.Min(a.Recall+math.Min(0.01, 0.04*math.Sqrt(1-a.Recall)), 0.999)
}

// firstRecall is the recall after one division, in which a row stands in four leaves,
// and how fast further ones add to it: independent ones would leave the share (1-p)^d of
// the neighbors after d divisions; neighbors that one misses the next one misses more likely, and
// the exponent grows as d^power. Both fall with the number of rows, the first with their
// intrinsic dimension, and larger leaves are as good as more of them. A fit to these
// builds with k=20 (knng build F --recall R --leaf-size G; the dimension is that of the 20
// nearest among 2,048 rows; recall on 16 to 150 steering rows):
//
//	           rows  dimension  leaves  division 1      2      3      4   first round
//	MNIST    70,000       11.1     500       0.844                              0.986
//	                              1000       0.887  0.982
//	SIFT    200,000       15.7     500       0.544  0.754  0.852          0.945, 0.973
//	                              1000       0.640  0.814  0.916  0.955         0.991
//	SIFT  1,000,000       16.0     500       0.473  0.646  0.748  0.817         0.953
//	                              1000       0.555  0.733  0.844  0.901
//	GIST     60,000       25.8     500       0.379  0.644  0.768  0.831  0.947, 0.963
//	                              1000       0.572  0.772  0.880  0.927
//
// Rows of lower dimension are found no more easily from some point on (mostFirst): of generated rows of 50, of dimension 9 to
// 9.8, a division in leaves of 1,000 finds 0.794 of 500,000, 0.713 of 1,000,000, 0.619 of 6,000,000, and by parts, of 128 bytes, 0.871
// of 1,000,000 and 0.746 of 4,000,000.
func (a *Aim) firstRecall(leafSize float64) (p, power float64) {
	d := a.Intrinsic
	if d == 0 {
		d = usualIntrinsic
	}
	doublings := math.Log2(math.Max(0.25, float64(a.Rows)/60000))
	p = 7.3 * math.Pow(d, -0.886)
	if doublings < 0 {
		p -= 0.04 * doublings
	}
	larger := math.Max(0.1, math.Min(1, 0.04*d-0.22))
	balls := math.Pow(leafSize/fittedLeaf, larger) * math.Pow(perDoubling, math.Max(0, doublings)) * math.Exp(firstDiffers*a.Luck)
	p = 1 - math.Pow(1-math.Max(0.05, math.Min(mostFirst, p)), balls)
	return p, math.Max(0.75, math.Min(1, 0.9-0.05*doublings))
}

// mostFirst is the most that a division of 60,000 rows is taken to find.
const mostFirst = 0.92

// perDoubling is how much of a ball the balls among twice as many rows are worth: 0.91 on SIFT, of
// 200,000 and 1,000,000 rows, 0.79 on 500,000 and 1,000,000 generated rows of 50.
const perDoubling = 0.9

// furtherDoubling is how much of that doublings beyond a million rows leave: by parts 0.86 / 0.9 on generated rows of 128
// bytes, from 1,000,000 to 100,000,000 (bench/results/larger; recalls after one division 0.88 and 0.549).
const furtherDoubling = 0.95

// firstDiffers is by how much builds differ in that, as a standard deviation of its logarithm.
const firstDiffers = 0.4

// fittedLeaf is the size of leaves that firstRecall was fitted to first. One of more rows
// is worth (rows/fittedLeaf)^larger of them: the more, the higher the dimension.
const fittedLeaf = 500

// usual is how many divisions a build has at least to be expected to take before anything is known of
// its rows: those of 200,000 rows and more to a recall of 0.95 took two to five by balls
// and by parts (bench/results/speed, bench/results/larger), whatever their dimension.
func (a *Aim) usual() float64 {
	if a.Recall >= 0.95 && a.Rows >= 200_000 {
		return 2
	}
	return 1
}

// divided is the recall after some divisions.
func divided(p, power, divisions float64) float64 {
	return 1 - math.Pow(1-p, math.Pow(divisions, power))
}

// The shares of the missing neighbors that rounds of joins leave, after the first one, and
// that a further division leaves then. Measured 0.6 to 0.65, and 0.62 to 0.87.
const (
	afterRound    = 0.63
	afterDivision = 0.75
)

// afterFirst is the share that the first round leaves: measured 0.18 to 0.26, on MNIST 0.09.
func afterFirst(p float64) float64 { return 0.05 + 0.3*(1-p) }

// Balls guesses the leaves that a row stands in and the rounds, of which the last may be
// cut short.
func (a Aim) Balls() (leaves int, rounds float64) {
	target, divisions := a.asked(), a.usual()
	p, power := a.firstRecall(float64(a.LeafSize))
	for divided(p, power, divisions) < math.Min(a.Switch, target) && divided(p, power, divisions+1) < target && int(divisions)*a.Overlap < a.Most {
		divisions++
	}
	miss := 1 - divided(p, power, divisions)
	for left := afterFirst(p); 1-miss < target && rounds < float64(a.Most); left = afterRound {
		next := miss * left
		if rounds > 0 && 1-miss+(miss-next)/2 < target && int(divisions+1)*a.Overlap <= a.Most {
			divisions++
			next *= afterDivision
		}
		if 1-next >= target { // the parts of a round gain less and less
			share := (miss - (1 - target)) / (miss - next)
			return int(divisions) * a.Overlap, rounds + math.Ceil(32*math.Pow(share, 3))/32
		}
		miss, rounds = next, rounds+1
	}
	return int(divisions) * a.Overlap, rounds
}

// Parts guesses the leaves that a row stands in with the parts method, given the rows of
// a leaf. Measured on SIFT, 1,000,000 rows: 0.673, 0.851, 0.919, 0.957 after four
// divisions; SIFT, 200,000 rows, takes four as well for 0.95, MNIST two, GIST seven.
func (a Aim) Parts(leafRows float64) (leaves int) {
	p, _ := a.firstRecall(fittedLeaf)
	further := math.Pow(furtherDoubling, math.Max(0, math.Log2(float64(a.Rows)/1e6)))
	p = 1 - math.Pow(1-p, 1.75*math.Pow(leafRows/1000, 0.15)*further)
	divisions := a.usual()
	for divided(p, 0.77, divisions) < a.asked() && int(divisions)*measuredOverlap < a.Most {
		divisions++
	}
	return max(int(divisions)*measuredOverlap, a.Overlap) // the last division may have half of the leaves
}

// measuredOverlap is the leaves of a row in the divisions that these guesses were measured on.
const measuredOverlap = 4

// Paper guesses the divisions and rounds of the paper's method: until the effective
// rate falls under its trigger, which takes about 13 of them on GIST and 10 on SIFT,
// then one round, and where recall steers as many more of either as it asks for.
func (a Aim) Paper() (divisions int, rounds float64) {
	switch {
	case a.Recall == 0:
		return 11, 1
	case a.Recall <= 0.9:
		return 11, 1
	case a.Recall <= 0.95:
		return 14, 3
	}
	return 24, 8
}

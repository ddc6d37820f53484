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
	Luck      float64 // how much more than expected the stages find, in standard deviations; see Lucks
}

// usualIntrinsic is the dimension taken where none is known: that of image descriptors.
const usualIntrinsic = 15

// asked returns the recall at which a build stops: its target and two standard errors of the steering
// sample, at most 0.01. Two standard errors were 0.004 to 0.011 at 0.95, 0.0016 at 0.99.
func (a *Aim) asked() float64 {
	return math.Min(a.Recall+math.Min(0.01, 0.04*math.Sqrt(1-a.Recall)), 0.999)
}

// firstRecall returns p, the recall after one division of four leaves a row, and power, which says how
// much further divisions add. If divisions were independent, d of them would miss the share (1-p)^d of
// the neighbors. But a neighbor that one division misses is more likely to be missed by the next, so the
// exponent is d^power. Both fall with the number of rows, p also with the intrinsic dimension; larger
// leaves count as more leaves. Fitted to these builds with k=20 (knng build F --recall R --leaf-size G;
// the dimension is that of the 20 nearest among 2,048 rows; recall on 16 to 150 steering rows):
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
// Below some dimension, p does not grow any more (mostFirst). With generated rows of 50 floats, of
// dimension 9 to 9.8, one division into leaves of 1,000 finds 0.794 for 500,000 rows, 0.713 for 1,000,000
// and 0.619 for 6,000,000; with parts and rows of 128 bytes 0.871 for 1,000,000 and 0.746 for 4,000,000.
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

// mostFirst is the largest recall that one division of 60,000 rows is expected to reach.
const mostFirst = 0.92

// perDoubling is the factor by which a ball is worth less among twice as many rows: 0.91 on SIFT, between
// 200,000 and 1,000,000 rows; 0.79 between 500,000 and 1,000,000 generated rows of 50.
const perDoubling = 0.9

// furtherDoubling is a further factor for doublings beyond a million rows. With parts it was 0.86 / 0.9
// on generated rows of 128 bytes, between 1,000,000 and 100,000,000 (bench/results/larger; the recalls
// after one division were 0.88 and 0.549).
const furtherDoubling = 0.95

// firstDiffers is the standard deviation, between builds, of the logarithm of that number.
const firstDiffers = 0.4

// fittedLeaf is the leaf size that firstRecall was fitted to. A leaf of more rows is worth
// (rows/fittedLeaf)^larger of these; larger grows with the dimension.
const fittedLeaf = 500

// usual returns the least number of divisions to expect before anything is known about the rows. For
// recall 0.95, builds of 200,000 rows and more took two to five, with balls and with parts, whatever
// their dimension (bench/results/speed, bench/results/larger).
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

// The shares of the missing neighbors that are still missing after a round of joins other than the first,
// and after a division that follows joins. Measured: 0.6 to 0.65, and 0.62 to 0.87.
const (
	afterRound    = 0.63
	afterDivision = 0.75
)

// afterFirst returns that share for the first round. Measured: 0.18 to 0.26, on MNIST 0.09.
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

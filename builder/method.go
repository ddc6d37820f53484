package builder

// scatteredCost is how many pairs of a leaf cost as much as one pair that
// propagation evaluates, which sits in no tile and brings a queue with it.
const scatteredCost = 4

// cheaper settles auto: exact where its pairs are predicted to cost no more
// than the paper's method, by counts alone.
func cheaper(n int, o *Options) Method {
	leaf := n
	for leaf >= o.LeafSize {
		leaf /= 2
	}
	divisions := guessDivisions
	if o.Divisions > 0 {
		divisions = o.Divisions
	}
	paper := float64(divisions) * float64(leaf) / 2
	if o.Propagation == On {
		paper += scatteredCost * float64(o.Visits)
	}
	if float64(n)/2 <= paper || n < o.LeafSize {
		return Exact
	}
	return Paper
}

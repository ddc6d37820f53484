package simd

// Narrow codes are near 128. Instructions that add two products of bytes in a word do twice as
// many as those of words, but a word holds the sum of few products: of two groups where codes are
// within 64 of 128, of four where they are within 45. Rows along principal axes vary less
// along the later ones.

// Narrowing says which groups of codes are narrow. All numbers are multiples of NarrowStep.
type Narrowing struct {
	Wide   int // groups up to this one may have any codes
	Pairs  int // from there up to this one they are at least PairsLeast and at most 255-PairsLeast
	Groups int // from there up to this one they are at least FoursLeast and at most 256-FoursLeast
}

// NarrowStep is of how many groups a kernel makes one kind.
const NarrowStep = 8

// PairsLeast and FoursLeast are taken off the codes of rows, so that those are not negative. With
// y the codes of a column, sums of narrow codes lack
//
//	PairsLeast * (sum of y-128 over pairs) + FoursLeast * (sum of y-128 over fours)
//
// of those that [Codes] defines.
const PairsLeast, FoursLeast = 64, 83

// OfNarrow returns the table for codes that are narrow in some groups, nil where there is none
// that is faster.
func (c *Codes) OfNarrow(n Narrowing) *Codes {
	if c.narrow == nil || n.Wide == n.Groups {
		return nil
	}
	return c.narrow(n)
}

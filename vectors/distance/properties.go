package distance

import "github.com/knng/knng/vectors"

// The properties of a metric on which the way to build a graph depends.

// ZeroIsBad reports whether a row of zeros has no distances.
func (m Metric) ZeroIsBad() bool { return m.of().zeroIsBad }

// ConstantIsBad reports whether a row whose elements are all equal has no distances.
func (m Metric) ConstantIsBad() bool { return m.of().constantIsBad }

// Squares reports whether a key is a sum of squared differences: then equal rows
// have key 0, and only those, apart from underflow.
func (m Metric) Squares() bool { return m.of().squares }

// Differences reports whether a key is a function of the differences of elements: it does not change if
// one row is subtracted from all.
func (m Metric) Differences() bool { return m.of().differences }

// Roots reports whether the distance shown is the root of the key.
func (m Metric) Roots() bool { return m.of().root }

// Degree is the power of a factor of all rows by which the distance shown grows: 2 under ip, 0 under cosine.
func (m Metric) Degree() int { return m.of().degree }

// Gathers reports whether rows near the same row are near each other. Under inner products they are
// not: the nearest rows of most rows are the longest ones.
func (m Metric) Gathers() bool { return m.of().gathers }

// Coded reports whether distances of rounded rows (package codes) bound or order the keys. Under
// the other metrics every pair is compared by its key.
func (m Metric) Coded() bool { return m.of().coded }

// Bits reports whether rows are sets of bits packed into bytes, as numpy.packbits packs them:
// the type is Uint8, and the dimension counts bytes.
func (m Metric) Bits() bool { return m.of().bits }

// Products reports whether a key is computed from a product of rows.
func (m Metric) Products() bool { return m == IP || m.of().norms }

// Type is the type of the rows' elements.
func (s *Space) Type() vectors.Type { return s.typ }

// Dim is how many elements a row has.
func (s *Space) Dim() int { return s.dim }

// RowBytes is how many bytes a row takes.
func (s *Space) RowBytes() int { return s.dim * s.typ.Size() }

// IntegerKeys reports whether keys are the integers that code distances of the
// rows are.
func (s *Space) IntegerKeys() bool {
	return s.metric.Squares() && (s.typ == vectors.Uint8 || s.typ == vectors.Int8)
}

// RowsAreCodes reports whether rows serve as their own codes.
func (s *Space) RowsAreCodes() bool {
	return s.typ == vectors.Uint8 && s.dim%4 == 0 && !s.NeedsNorms()
}

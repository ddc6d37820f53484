package simd

// Short codes are below 64: six bits. Products of them fit instructions that add two products
// of bytes in a word, which nearly every CPU of amd64 has, and which do twice as many as
// those of words.
//
// A table for them may count on that and take another zero than 128; otherwise it is as any.

// ShortCodes is how many short codes there are.
const ShortCodes = 64

// shortZero is the zero of short codes where a table has one of its own.
const shortZero = 32

// Zero is what panels take off codes: a row's add is its norm less twice that many times its sum.
func (c *Codes) Zero() uint32 {
	if c.zero == 0 {
		return 128
	}
	return c.zero
}

// OfShort returns the table for short codes, which is this one where it has no other.
func (c *Codes) OfShort() *Codes {
	if c.short == nil {
		return c
	}
	return c.short
}

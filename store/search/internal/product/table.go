package product

// A Kind is a distance that is a sum over elements.
type Kind uint8

// The kinds.
const (
	Squares  Kind = 1 + iota // of differences
	Products                 // negative
	Absolute                 // differences
	Twice                    // Products, twice
)

// TableSize is the number of entries of a table.
func (q *Quantizer) TableSize() int { return Centers * q.Bytes() }

// Table computes the share in a query's distance of each value of each byte of a code.
func (q *Quantizer) Table(kind Kind, query, table []float32) {
	for i := range q.parts {
		p := &q.parts[i]
		x, out := query[p.from:p.from+p.width], table[i*Centers:(i+1)*Centers]
		for c := range out {
			out[c] = add(kind, x, p.centers[c*p.width:][:p.width])
		}
	}
	copy(table[len(q.parts)*Centers:], q.levels)
}

func add(kind Kind, x, y []float32) (sum float32) {
	switch kind {
	case Products:
		for i, a := range x {
			sum -= float32(a * y[i])
		}
	case Twice:
		for i, a := range x {
			sum -= float32(2 * a * y[i])
		}
	case Absolute:
		for i, a := range x {
			sum += max(a-y[i], y[i]-a)
		}
	default:
		return squared(x, y)
	}
	return sum
}

// Keys estimates the distances of some rows by their codes, which are next to each other.
func (q *Quantizer) Keys(table []float32, codes []byte, ids []uint32, out []float32) {
	size := q.Bytes()
	for i, id := range ids {
		out[i] = key(table, codes[int(id)*size:][:size])
	}
}

// All estimates the distances of all coded rows.
func (q *Quantizer) All(table []float32, codes []byte, out []float32) {
	size := q.Bytes()
	for i := 0; len(codes) >= size; i, codes = i+1, codes[size:] {
		out[i] = key(table, codes[:size])
	}
}

// key adds up in four independent sums.
func key(table []float32, code []byte) float32 {
	var a, b, c, d float32
	for len(code) >= 4 && len(table) >= 4*Centers {
		a += table[code[0]]
		b += table[Centers+int(code[1])]
		c += table[2*Centers+int(code[2])]
		d += table[3*Centers+int(code[3])]
		code, table = code[4:], table[4*Centers:]
	}
	for i, x := range code {
		a += table[i*Centers+int(x)]
	}
	return (a + b) + (c + d)
}

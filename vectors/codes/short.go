package codes

import (
	"fmt"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/internal/simd"
)

// Shortening makes codes short: of six bits, which most kernels of amd64 multiply twice as fast
// as bytes, and the others as fast. Codes up to Least become 0, those from Most on the largest
// short code.
type Shortening struct {
	Least byte `json:"least"`
	Most  byte `json:"most"` // 0 stands for none
}

// mostShort is the largest short code.
const mostShort = simd.ShortCodes - 1

// Shortening fits one on some rows of m, evenly spread: few of their codes are clipped.
func (m *Matrix) Shortening() Shortening {
	var counts [256]int
	rows := spread(m.n, fitCount(m.n, 4*m.groups))
	for _, i := range rows {
		for _, x := range m.row(int(i)) {
			counts[x]++
		}
	}
	all := len(rows) * 4 * m.groups
	beyond := (all - int(fitShare*float64(all))) / 2
	least, most := 0, 255
	for below := counts[least]; below <= beyond && least < 255; below += counts[least] {
		least++
	}
	for above := counts[most]; above <= beyond && most > 1; above += counts[most] {
		most--
	}
	return Shortening{Least: byte(min(least, most)), Most: byte(most)}
}

// shortTable is the short code of every code.
type shortTable [256]byte

// table rounds codes; those of a range that is short already stay as far apart as they are.
func (s Shortening) table() *shortTable {
	t := new(shortTable)
	span := max(mostShort, int(s.Most)-int(s.Least))
	for x := range t {
		short := (2*mostShort*(x-int(s.Least)) + span) / (2 * span)
		t[x] = byte(min(max(short, 0), mostShort))
	}
	return t
}

func (t *shortTable) shorten(dst, src []byte) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = t[x]
	}
}

// ShortBytes is the room that the short codes of the rows of m take.
func (m *Matrix) ShortBytes() int { return 4 * m.groups * m.n }

// Short returns the rows of m as short codes, whose distances order rows approximately. They
// are in room, of ShortBytes.
func (m *Matrix) Short(s Shortening, room []byte, threads int) (*Matrix, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	if s.Most <= s.Least {
		return nil, fmt.Errorf("codes: shortening of codes from %d to %d", s.Least, s.Most)
	}
	o := &Matrix{n: m.n, groups: m.groups, stride: 4 * m.groups, kernel: kernel.Codes.OfShort(), reduced: true,
		data: room[:m.ShortBytes()], sums: make([]sums, m.n)}
	t := s.table()
	return o, o.derive(kernel, threads, func(i int) { t.shorten(o.row(i), m.row(i)) })
}

// derive makes rows, and their sums.
func (m *Matrix) derive(kernel *simd.Kernel, threads int, row func(i int)) error {
	return vectors.Ranges(threads, m.n, fillRows, func() func(from, to int) error {
		add := newAdder(kernel, m)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				row(i)
			}
			add.rows(from, to)
			return nil
		}
	})
}

package search

import (
	"errors"
	"io/fs"
	"math"
	"runtime"

	"github.com/knng/knng/store/search/internal/product"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// If memory does not hold rows and links, it holds a short code of every row, and estimates from codes guide
// a walk: it reads from disk only the links of the places that it follows, and at the end the rows of the
// nearest, whose distances are exact.

const (
	partElements = 3  // least elements per byte of a code,
	mostElements = 4  // and the most, if a code has fewer bytes than leastParts;
	mostParts    = 64 // most bytes of a code,
	leastParts   = 8
	codesSeed    = 1
	codesSample  = 8192 // rows to which centers are fitted
	startsOf     = 16   // number of possible starts of a walk, in roots of the rows

)

// coded holds the rows in memory, as codes.
type coded struct {
	*product.Quantizer
	kind   product.Kind
	codes  []byte   // of every place
	starts []uint32 // places of the leaders, then of other starts
	near   []byte   // their codes
	runs   *runs    // nil if codes are of the rows themselves
}

// A coder makes, keeps and reads the short codes of a Searcher's rows.
type coder struct{ *Searcher }

// placeBytes is the memory for a row beside its code: its place, and the row of that place.
const placeBytes = 8

// codesRoom returns how much of a budget the codes of n rows may take: the budget less the places of these
// rows, and less an eighth for the pages that are read. Codes of eight bytes may use that eighth too: without
// codes a search reads ten times the pages.
func codesRoom(budget, n int64) int64 {
	room := budget/8*7 - placeBytes*n
	if least := leastParts * n; room < least && least+placeBytes*n <= budget {
		return least
	}
	return room
}

// parts returns the number of bytes of a code; 0 if there are to be none.
func (s coder) parts(budget int64) int {
	n, dim := int64(s.Len()), s.Dim()
	parts := min((dim+partElements-1)/partElements, mostParts, int(codesRoom(budget, n)/max(1, n)))
	if parts > 16 {
		parts = parts / 4 * 4
	}
	if n == 0 || s.kind() == 0 || parts < min(leastParts, dim/mostElements) || parts == 0 {
		return 0
	}
	return parts
}

// kind returns the distance that codes estimate; 0 if they cannot.
func (s coder) kind() product.Kind {
	switch metric := s.space.Metric(); {
	case metric == distance.IP:
		return product.Products
	case metric == distance.L1:
		return product.Absolute
	case metric.Squares(), s.space.NeedsNorms():
		return product.Squares
	}
	return 0
}

// open reads the kept codes, or makes them.
func (s coder) open(parts int) error {
	id, from := s.identity(parts), &s.state.CodesFrom
	c, err := s.read(id)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			from.Replaced = err
		}
		if c, err = s.make(id); err != nil {
			return err
		}
		from.Made, from.Why = true, s.keep(id, c)
	}
	if err := s.opts.Context.Err(); err != nil {
		return err
	}
	from.Kept = from.Why == nil
	s.state.Codes = c.Bytes()
	c.kind = s.kind()
	c.setStarts(s.Searcher)
	s.coded = c
	return nil
}

// identity identifies codes of a given length.
func (s coder) identity(parts int) codesIdentity {
	id := codesIdentity{identity: s.Searcher.identity(), parts: parts, dim: s.Dim()}
	if s.kind() == product.Squares && parts >= leastParts {
		id.run = runOf(s.Len())
	}
	return id
}

// setStarts copies the codes of the starts of walks: they cost only memory.
func (c *coded) setStarts(s *Searcher) {
	n := s.Len()
	for _, l := range s.links.leaders {
		c.starts = append(c.starts, l.place)
	}
	more := min(n, int(startsOf*math.Sqrt(float64(n))))
	for i := range more {
		c.starts = append(c.starts, uint32(int64(i)*int64(n)/int64(more)))
	}
	for _, p := range c.starts {
		c.near = append(c.near, c.code(p)...)
	}
}

func (c *coded) code(place uint32) []byte { return c.codes[int(place)*c.Bytes():][:c.Bytes()] }

// make makes the codes of all rows.
func (s coder) make(id codesIdentity) (*coded, error) {
	s.told = 0
	runtime.GC() // frees the memory of links, so that the heap does not hold it beside the codes
	c := new(coded)
	if err := s.train(c, id); err != nil {
		return nil, err
	}
	c.codes = make([]byte, c.Bytes()*s.Len())
	_ = s.advise(vectors.Normal)
	defer s.advise(vectors.Random)
	return c, vectors.Ranges(s.opts.Threads, s.Len(), sumPlaces, func() func(from, to int) error {
		row, room := make([]float32, s.Dim()), make([]float32, s.Dim())
		return func(from, to int) error {
			for p := from; p < to; p++ {
				s.plain(s.rows.Row(p), row)
				c.encode(p, row, room)
			}
			s.tell(to - from)
			return s.opts.Context.Err()
		}
	})
}

// train fits the centers of codes to a sample.
func (s coder) train(c *coded, id codesIdentity) (err error) {
	parts := id.parts
	if id.run > 0 {
		if c.runs, err = s.makeRuns(id.run); err != nil {
			return err
		}
		parts--
	}
	_ = s.advise(vectors.Random) // a hint
	sample, places, err := s.sample()
	if err != nil {
		return err
	}
	dim := s.Dim()
	for i, p := range places {
		c.runs.subtract(p, sample[i*dim:(i+1)*dim])
	}
	if c.Quantizer, err = product.Train(s.opts.Context, sample, dim, parts, codesSeed, s.opts.Threads); err != nil || c.runs == nil {
		return err
	}
	values, code, room := make([]float32, len(places)), make([]byte, id.parts), make([]float32, dim)
	for i, p := range places {
		c.Encode(sample[i*dim:(i+1)*dim], code)
		c.Decode(code, room)
		values[i] = c.runs.share(p, room)
	}
	c.TrainLevels(values, codesSeed)
	return nil
}

// encode computes the code of a place.
func (c *coded) encode(place int, row, room []float32) {
	code := c.code(uint32(place))
	c.runs.subtract(place, row)
	c.Encode(row, code)
	if c.runs != nil {
		c.Decode(code, room)
		code[len(code)-1] = c.Level(c.runs.share(place, room))
	}
}

// sample returns some rows, and their places.
func (s coder) sample() (rows []float32, places []int, err error) {
	n, dim := s.Len(), s.Dim()
	m := min(n, codesSample)
	rows, places = make([]float32, m*dim), make([]int, m)
	return rows, places, vectors.Guard(func() error {
		for i := range m {
			places[i] = int(int64(i) * int64(n) / int64(m))
			s.plain(s.rows.Row(places[i]), rows[i*dim:(i+1)*dim])
		}
		return s.opts.Context.Err()
	})
}

// plain decodes a row as codes represent it: with norm 1 under cosine and correlation.
func (s coder) plain(raw []byte, row []float32) {
	s.space.Float32(raw, row)
	s.straighten(row)
}

func (s *Searcher) straighten(row []float32) {
	if !s.space.NeedsNorms() {
		return
	}
	mean, norm := 0.0, 0.0
	if s.space.Metric() == distance.Correlation {
		for _, x := range row {
			mean += float64(x)
		}
		mean /= float64(len(row))
	}
	for _, x := range row {
		d := float64(x) - mean
		norm += float64(d * d)
	}
	norm = math.Sqrt(norm)
	for i, x := range row {
		if row[i] = float32((float64(x) - mean) / norm); row[i]-row[i] != 0 {
			row[i] = 0
		}
	}
}

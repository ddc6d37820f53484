package plan

import (
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// A Shape holds the numbers that the cost of a build depends on: those of the input and of the options.
type Shape struct {
	Method  string // its name, for people
	Kind    Kind   // the passes that it makes
	Rows    int64  // that are solved
	Copies  int64  // rows that take the list of an identical row
	Outputs int64  // rows of the store, isolated ones included
	Dim     int

	RowBytes  int64 // of a row as it is stored
	CodeBytes int64 // memory of the codes of a row; 0 where the method has none
	ViewCodes bool  // codes are the rows themselves: CodeBytes is only their sums
	KeyCodes  bool  // distances of codes are keys, so keys need not be computed
	AxesBytes int64 // the most memory of a row's codes along axes; 0: codes have all dimensions
	Shortens  bool  // codes may be made short, in a byte a dimension beside the others
	Inner     bool  // codes are for inner products: they screen pairs, but divide no rows
	Planes    bool  // hyperplanes make the leaves, since codes do not order rows as keys do
	Norms     bool  // the metric needs norms

	K, Slack  int64
	LeafSize  int
	Overlap   int // leaves that a row stands in within a division
	Fewer     int // leaves that a long first division of the balls method leaves to later divisions; 0: the first is like any other
	Divisions int // as Plan.Divisions
	Outset    int // Divisions as expected before the first stage; 0: the same
	Rounds    float64
	Visits    int     // of the paper's propagation
	Recall    float64 // the target, 0 for none

	Held      int64 // bytes of memory that the caller has for the build
	Received  int64 // bytes of rows from streams, on disk until the store has its own
	Reference bool  // the store has no rows of its own
	Spooled   bool  // rows are copied in input order first: they cannot be mapped, or some are left out
	Collapse  bool
	Threads   int
	Kernel    string // by which rows are compared, for their time; "" is AVX-512's
	Parts     Parts
	TreeBytes int64 // of the boxes of the tree method

	LinksMemory  int64 // that the links of search may take for arcs after the build; 0 for no limit
	SearchMemory int64 // that rows and links of a search may take by default; 0 for no limit
	Came         bool  // rows stand in the order in which they came, and a search larger than memory puts them in another
}

// LinksShare: the links of search may take 1/LinksShare of a memory limit for arcs.
const LinksShare = 4

// Parts holds the numbers that only the parts method has.
type Parts struct {
	GroupRows int64 // most rows of a group
	Chunk     int64 // bytes of rows that sampled ones are compared with at a time
	Leaders   int   // of a division
	Ledger    int64 // bytes of memory for blocks that grow with the rows
	Stripe    int64 // bytes of the lists that are united at a time
	Stretch   int64 // rows that have lists in memory at a time, under inner products
}

// Kind is the sequence of passes that a method makes. A new method has one of these kinds, or adds one.
type Kind uint8

// The kinds.
const (
	AllPairs Kind = iota // blocks of rows with blocks of rows
	Searches             // of every row in a tree of all rows
	Leaves               // divisions whose leaves are compared by keys, then rounds of propagation
	Balls                // divisions into overlapping leaves compared by codes, then joins
	Groups               // such leaves in groups whose rows fit in memory, with lists on disk and no joins
)

// Of plans the passes of a build on a machine.
func Of(s Shape, r Rates) *Plan {
	p := &Plan{Method: s.Method, Rows: s.Rows, Dim: s.Dim, K: int(s.K), Divisions: s.Divisions, Rounds: s.Rounds, Recall: s.Recall,
		Basis: &Basis{Shape: s, Rates: r}}
	switch s.Kind {
	case Balls:
		p.Passes = s.balls(r)
	case Groups:
		p.Passes = s.parts()
	case Leaves:
		p.Passes = s.paper()
	case Searches:
		p.Divisions, p.Rounds, p.Recall = 0, 0, 0
		p.Passes = s.tree()
	default:
		p.Divisions, p.Rounds, p.Recall = 0, 0, 0
		p.Passes = s.exact()
	}
	return p.total(&s, r)
}

func (s *Shape) n() float64 { return float64(s.Rows) }

// rowBytes is all rows as they are stored.
func (s *Shape) rowBytes() float64 { return float64((s.Rows + s.Copies) * s.RowBytes) }

// storedRows is the bytes of the store's own rows and of their order.
func (s *Shape) storedRows() float64 {
	order := 4 * float64(s.Rows+s.Copies)
	if s.Collapse {
		order += 4 * float64(s.Outputs) // the groups
	}
	if s.Reference {
		return order
	}
	return s.rowBytes() + order
}

// Lists take 8 bytes an entry and some for their lengths. Measured: 165.8 bytes a list
// of 20 in the adjacency of SIFT, where Pebble's compression keeps nothing.
const listHead = 6

func (s *Shape) lists(rows float64, k int64) float64 { return rows * (8*float64(k) + listHead) }

// partial is the bytes of partial lists, which are packed (package store): two bytes and
// a first key a list, a place's bits an entry, and the difference of a key to the one before.
// Measured on byte rows: 5.2 bytes an entry of lists of 10 among 20 million.
func (s *Shape) partial(rows float64, k int64) float64 {
	key, step := 4.0, 2.6
	if s.KeyCodes { // whole numbers
		key, step = 3.25, 1.6
	}
	place := math.Ceil(math.Log2(s.n()+2)) / 8
	return rows * (2.75 + key - step + float64(k)*(place+step))
}

// finalLists is the adjacency.
func (s *Shape) finalLists() float64 { return s.lists(float64(s.Outputs), s.K) }

// read is the passes over the input: audit, and collapse where it is asked for.
func (s *Shape) read() []Pass {
	all := float64(s.Outputs)
	input := all * float64(s.RowBytes)
	audit := Pass{Name: "audit", Does: "reads the input once", Times: 1, ReadBytes: int64(input), DiskBytes: s.Received,
		work: work{touched: input / 5, hashed: max(0, input-float64(s.Received))}} // streams are hashed as they come
	s.grown(&audit.held, 8*all)
	passes := []Pass{audit}
	if s.Collapse {
		c := Pass{Name: "collapse", Does: "reads the input once more, to find equal rows", Times: 1, ReadBytes: int64(input),
			WrittenBytes: int64(4 * all), DiskBytes: s.Received + int64(4*all), work: work{touched: input / 5, alone: all * math.Log2(all+2) / 8}}
		c.held = memory{heap: 20 * all}
		c.held.block(4 * all)
		passes = append(passes, c)
	}
	return passes
}

// good is the memory of all passes from the audit on: the rows that get a list, and the
// order.
func (s *Shape) good(m *memory) {
	s.grown(m, 4*s.n())
	if s.Kind == Groups { // rows stay in their order
		return
	}
	m.heap += 4*s.n() + 4*float64(s.Copies)
	if s.Collapse {
		m.heap += 4 * float64(s.Outputs)
	}
	if s.Norms {
		m.heap += 8 * s.n()
	}
}

// write is the pass that writes the store's own rows. The spool is given back at its
// end, as received rows are.
func (s *Shape) write(name, does string, w work, held memory) Pass {
	read, written, disk := s.rowBytes(), s.storedRows(), s.storedRows()+float64(s.Received)
	if s.Spooled {
		read, written, disk = 2*read, written+s.n()*float64(s.RowBytes), disk+s.n()*float64(s.RowBytes)
	}
	if s.Reference {
		read = 0
	}
	s.good(&held)
	w.touched += s.rowBytes() / 4
	return Pass{Name: name, Does: does, Times: 1, ReadBytes: int64(read), WrittenBytes: int64(written), DiskBytes: int64(disk), work: w, held: held}
}

// The cost of sampled rows' exact lists beside the screens of as many pairs, and of those that
// steer beside those that tell in the end, which wait for the lists as well. Processor time on
// MNIST, SIFT and generated rows of 50: 1.7 to 3.8 in all, 0.7 to 1.5 of a later version.
const (
	screened      = 1.2
	controlsFirst = 0.45
)

// measured is the pass that compares sampled rows with all others: they steer, and they
// report recall.
func (s *Shape) measured(pairs float64) Pass {
	compared := max(fixed.ControlShare*pairs, 2*fixed.ControlRows*s.n()) // of two samples
	p := Pass{Name: "controls", Does: "reads all rows for exact lists of a few", Times: 1, ReadBytes: int64(2 * s.rowBytes()), work: work{screen: screened * compared}, First: controlsFirst}
	if s.Kind == Groups { // which has a copy of the few, and of some of the others at a time
		p.work.screen, p.First = compared, 1 // as measured on SIFT
		sampled := compared / 2 / s.n() * float64(s.RowBytes)
		p.held = memory{heap: (sampled + math.Min(float64(s.Parts.Chunk), s.rowBytes())) * (1 + float64(s.CodeBytes)/float64(s.RowBytes))}
		s.good(&p.held)
	}
	return p
}

// The cost of a neighbor in the adjacency, of all threads and of the one that writes, and in the seal, in words
// touched. Two quiet cores of Zen 5, SIFT and 4,000,000 generated bytes: 9 and 18 ns in the adjacency, 8 and 9 in the seal, of which
// a third are hashes; 400,000 floats of 50: 12 and 13. Earlier machines and versions took two to four times as long, later versions 0.7 times.
const (
	listedWords    = 14.0
	writtenWords   = 8.0
	componentWords = 8.0 // of the components alone
	sealedWords    = 9
)

// linksWords is the cost of a neighbor in the links of search, for linksRows rows: the more there
// are, the farther apart are those that are compared; spilledWords is added where arcs do not fit in memory, as a
// scratch file holds them then and lists are read three times. Processor time of generated rows of 50: 200,000
// rows 187 ns and 237 with a scratch file, 1,000,000 183 to 200 and 257; 6,000,000, by the steps of 18.8 s of two quiet cores of
// which one found islands, 290. Since lists are read once for links and islands: 75 to 110 (testdata/left).
const (
	linksWords   = 120
	linksRows    = 500_000
	linksGrow    = 0.1 // for each doubling
	spilledWords = 45
)

// Of links (package store/search): the entries of a list that are followed at most, the memory of an arc and
// its entry, that of the chunks of arcs of a range and a thread, and that of an entry while its range is made.
const (
	linksListed = 20
	arcBytes    = 12
	chunkBytes  = 4 << 10
	rangePlaces = 8192
	maxRanges   = 1024
	linkedBytes = 56
)

// links is the work of the links of search after the build.
func (s *Shape) links() work {
	words := linksWords * (1 + linksGrow*math.Max(0, math.Log2(s.n()/linksRows)))
	if arcsSpill(s) {
		words += spilledWords
	}
	return work{touched: words * s.n() * math.Min(float64(s.K), linksListed)}
}

// arcsSpill reports whether a scratch file holds the arcs of links.
func arcsSpill(s *Shape) bool {
	arcs := arcBytes * s.n() * math.Min(float64(s.K), linksListed)
	chunks := chunkBytes * float64(s.Threads) * math.Min(maxRanges, math.Ceil(s.n()/rangePlaces))
	beside := linkedBytes * math.Min(s.n(), rangePlaces) * math.Min(float64(s.K), linksListed)
	return s.LinksMemory > 0 && arcs+chunks+beside > float64(s.LinksMemory)
}

// sealed is the end of every build: lists in input order, checksum, view, seal. kept is
// the bytes on disk until then.
func (s *Shape) sealed(kept float64, w work, held memory) []Pass {
	final, n := s.finalLists(), float64(s.Outputs)
	s.good(&held)
	if s.Kind == Groups { // components
		s.grown(&held, 4*s.n())
	} else {
		held.heap += 4 * n
	}
	if s.Kind == Groups { // whose lists are united here, which costs more
		w.alone += componentWords * n * float64(s.K)
	} else {
		w.touched += listedWords * n * float64(s.K)
		w.alone += writtenWords * n * float64(s.K)
	}
	adjacency := Pass{Name: "adjacency", Does: "writes the lists in input order", Times: 1, WrittenBytes: int64(final),
		DiskBytes: int64(kept + final), work: w, held: held}
	w = work{hashed: 2 * final, alone: sealedWords * n * float64(s.K)}
	if !s.Reference {
		w.hashed += s.rowBytes()
	}
	read := w.hashed + final
	seal := Pass{Name: "seal", Does: "reads lists and rows for checksums, writes the view", Times: 1,
		ReadBytes: int64(read), WrittenBytes: int64(n), DiskBytes: int64(kept + final + n), work: w, held: held}
	return []Pass{adjacency, seal}
}

package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// ErrOwnDistance says that the lists of a store come from a distance that cannot be computed from its rows,
// so that a query cannot be compared with them.
var ErrOwnDistance = errors.New("search: the graph's distance is rank-order or a program's own, which is not computed from vectors")

const (
	// maxListed is the most entries of a list that are followed, and half of the links of a place: more cost
	// evaluations and gain nothing.
	maxListed = 20

	leadersSeed = 1
	minLeaders  = 128
)

// Options tunes a Searcher. The zero value works.
type Options struct {
	// Threads is the number of goroutines that make links and answer SearchAll; 0 is GOMAXPROCS.
	Threads int
	// Memory makes links in memory, and neither reads nor writes DIR/search. There are no codes then, and no
	// copy of the rows.
	Memory bool
	// Rows makes the Searcher give only rows, by Vector, Raw, RawAll and Wide. Links, codes and a copy of the
	// rows are neither read nor made, and every query returns ErrQuery.
	Rows bool
	// Exact makes the Searcher answer only exact queries, which need no links; others return ErrQuery. Links,
	// codes and a copy of the rows are neither read nor made.
	Exact bool
	// Limit bounds the memory for making links, in bytes, beside 12 bytes a row (20 under cosine). If they
	// take more, a scratch file below DIR holds up to 9 bytes a link, 18 if there is a copy of the rows; with
	// Memory, and in Check, the lists are read several times instead. While the copy is made, memory is 14
	// bytes a row and the limit, or 40 MiB if that is more. 0 is 256 MiB.
	Limit int64
	// Budget is the memory that may hold the searched rows and links, in bytes. If they are larger, they are
	// read page by page: up to seven eighths of the budget hold a short code of every row and 8 bytes a row,
	// and an eighth is for pages, or, if there are no codes, for the 4 sqrt(n) rows at which walks begin.
	// Codes are kept in DIR/search like links, and so is a copy of rows that are in the order of the input;
	// see the package comment. 0 is half of the memory of the machine, or of the limit of the process.
	Budget int64
	// Context stops making links and codes; nil: nothing does.
	Context context.Context
	// Progress is called with the number of places that have their links, and of all places, as far as the
	// lists read so far show. Before that, if a copy of the rows is made, it counts the rows in it;
	// afterwards, if codes are made, the rows with codes. May be nil.
	Progress func(done, total int)
}

var errNoStore = vectors.Misused(errors.New("search: the store is nil"))

// Path is where a store in dir keeps its links.
func Path(dir string) string { return pathOf(dir, store.DerivedLinks) }

func pathOf(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }

// Open makes the store g ready for search. It maps the links in DIR/search, or makes them if there are none
// or if they are damaged, of another graph, or of another version. It keeps new links in DIR/search if that
// can be written; otherwise they stay in memory, and Searcher.State says why. A copy of the rows that cannot
// be kept is not made.
//
// Close the Searcher before the store. Errors: ErrOwnDistance, store.ErrCorrupt, those of store.Vectors, and
// Options.Context's.
func Open(g *store.Store, opts *Options) (*Searcher, error) {
	s := newSearcher(g, opts)
	steps := []func() error{s.openRows, copier{s}.open, s.openLinks, islander{s}.lead, s.takeLeaders, s.settle}
	if s.opts.Rows || s.opts.Exact {
		steps, s.links = steps[:1], new(links)
	}
	if s.opts.Exact {
		steps = append(steps, func() error { return s.links.measure(s) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Make makes the links in DIR/search if they are absent or wrong, before them the copy of the rows if there
// is to be one, and nothing else. Errors: those of Open; that of writing links.
func Make(g *store.Store, opts *Options) error {
	s := newSearcher(g, opts)
	defer s.Close()
	if err := s.openRows(); err != nil {
		return err
	}
	if err := (copier{s}).open(); err != nil {
		return err
	}
	id := s.identity()
	if s.mapLinks(id) == nil {
		return nil
	}
	s.tell(0)
	return s.keep(id)
}

func newSearcher(g *store.Store, opts *Options) *Searcher {
	s := &Searcher{g: g}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Threads <= 0 {
		s.opts.Threads = runtime.GOMAXPROCS(0)
	}
	if s.opts.Limit <= 0 {
		s.opts.Limit = 256 << 20
	}
	if s.opts.Context == nil {
		s.opts.Context = context.Background()
	}
	return s
}

// openRows maps the vectors.
func (s *Searcher) openRows() (err error) {
	if s.g == nil {
		return errNoStore
	}
	metric, err := distance.ParseMetric(s.g.Info().Manifest.Metric)
	if err != nil || s.g.OwnDistance() {
		return fmt.Errorf("%s: %w", s.g.Dir(), ErrOwnDistance)
	}
	manifest := s.g.Info().Manifest
	s.scale, s.offsets = manifest.Scale(), manifest.Offsets
	if s.in, s.order, err = s.g.Vectors(); err != nil {
		return err
	}
	rows, ok := s.in.Mapped()
	if !ok {
		return errors.New("search: the referenced vectors cannot be mapped")
	}
	s.rows, s.base, s.stride = rows, rows.Base(), rows.Stride()
	if s.space, err = distance.New(metric, rows.Type(), rows.Dim()); err != nil {
		return err
	}
	if !metric.Bits() {
		if s.floats, err = distance.New(metric, vectors.Float32, rows.Dim()); err != nil {
			return err
		}
	}
	return s.findPlaces()
}

// findPlaces inverts the order.
func (s *Searcher) findPlaces() error {
	s.places = make([]uint32, s.g.Len())
	for i := range s.places {
		s.places[i] = noLink
	}
	for place, row := range s.order {
		if int(row) >= len(s.places) || s.places[row] != noLink {
			return fmt.Errorf("%w: place %d is of row %d, out of range or placed already", store.ErrCorrupt, place, row)
		}
		s.places[row] = uint32(place)
	}
	return nil
}

// identity returns the identity of links made now.
func (s *Searcher) identity() identity {
	n := len(s.order)
	listed := min(s.g.K(), maxListed)
	return identity{places: n, width: 2 * listed, listed: listed, leaders: anyLeaders(n), seed: leadersSeed,
		order: orderSum(s.order), graph: s.g.Info().Checksum, norms: s.space.NeedsNorms()}
}

// anyLeaders returns the number of leaders drawn from all rows, a tenth of their root. More, up to three
// roots, find no more, and each costs a comparison.
func anyLeaders(n int) int { return min(n, max(minLeaders, int(math.Sqrt(float64(n))/10))) }

func orderSum(order []uint32) uint64 {
	d := xxhash.New()
	var buf [4096]byte
	for len(order) > 0 {
		n := min(len(order), len(buf)/4)
		for i, row := range order[:n] {
			binary.LittleEndian.PutUint32(buf[4*i:], row)
		}
		d.Write(buf[:4*n])
		order = order[n:]
	}
	return d.Sum64()
}

// openLinks maps the kept links, or makes them.
func (s *Searcher) openLinks() error {
	want := s.identity()
	if !s.opts.Memory {
		err := s.mapLinks(want)
		if err == nil {
			s.state.Kept = true
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			s.state.Replaced = err
		}
		s.tell(0)
		if err = s.keep(want); err == nil {
			s.state.Kept = true
			return nil
		}
		if s.opts.Context.Err() != nil || errors.Is(err, store.ErrCorrupt) || errors.Is(err, vectors.ErrFault) {
			return err
		}
		s.state.Why = err
	}
	s.mu.Lock()
	s.told = 0 // from links that could not be kept
	s.mu.Unlock()
	return s.makeInMemory(want)
}

// mapLinks maps links of an identity.
func (s *Searcher) mapLinks(want identity) error {
	path := Path(s.g.Dir())
	opened, err := s.g.OpenDerived(store.DerivedLinks)
	if err != nil {
		return err
	}
	defer opened.Close()
	file, err := vectors.MapOpened(opened, path)
	if err != nil {
		return err
	}
	err = vectors.Guard(func() error {
		s.links, err = parse(file.Bytes(), want)
		return err
	})
	if err != nil {
		file.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	file.Advise(vectors.Random)
	s.file = file
	return nil
}

// maker returns a maker for this store.
func (s *Searcher) maker(id identity) *maker {
	return &maker{identity: id, g: s.g, order: s.order, placeOf: s.places, threads: s.opts.Threads, limit: s.opts.Limit, ctx: s.opts.Context, scattered: s.near != nil}
}

// keep makes links next to their name, renames them, and maps them.
func (s *Searcher) keep(id identity) error {
	if err := store.Room("the links of search", store.Need{Dir: s.g.Dir(), Bytes: int64(id.size()) + s.maker(id).spilledBytes()}); err != nil {
		return err
	}
	f, err := s.g.MakeDerived(store.DerivedLinks)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := s.writeLinks(f.File, id); err != nil {
		return err
	}
	if err := f.Commit(); err != nil {
		return err
	}
	s.state.Made = true
	return s.mapLinks(id)
}

func (s *Searcher) writeLinks(f *os.File, id identity) error {
	m := s.maker(id)
	m.told = s.tell
	m.scratch = func() (scratchFile, error) { return s.g.MakeDerived(store.DerivedLinks) } // it is never renamed
	tableSum, err := m.table(func(first int, table []byte) error {
		_, err := f.WriteAt(table, int64(headerBytes+4*id.width*first))
		return err
	})
	if err != nil {
		return err
	}
	l, err := s.restOf(m)
	if err != nil {
		return err
	}
	id, rest := l.identity, l.encodeRest()
	if _, err := f.WriteAt(rest, int64(id.leadersAt())); err != nil {
		return err
	}
	_, err = f.WriteAt(id.header(tableSum, xxhash.Sum64(rest)), 0)
	return err
}

// tell adds to the places made.
func (s *Searcher) tell(places int) {
	if s.opts.Progress == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told += places
	s.opts.Progress(s.told, len(s.order))
}

func (s *Searcher) makeInMemory(id identity) (err error) {
	m := s.maker(id)
	m.told = s.tell
	table := make([]byte, id.tableBytes())
	_, err = m.table(func(first int, part []byte) error {
		copy(table[4*id.width*first:], part)
		return nil
	})
	if err != nil {
		return err
	}
	if s.links, err = s.restOf(m); err != nil {
		return err
	}
	s.links.table, s.state.Made = table, true
	return nil
}

// restOf makes all but the table, and gives m the number of leaders. If m has made the table in memory, it
// knows the islands, and reads no lists.
func (s *Searcher) restOf(m *maker) (*links, error) {
	l := &links{identity: m.identity}
	if err := l.measure(s); err != nil {
		return nil, err
	}
	err := vectors.Guard(func() (err error) {
		l.leaders, err = m.drawLeaders(s.far(l.norms))
		return err
	})
	l.identity.leaders = len(l.leaders)
	m.identity = l.identity
	return l, err
}

// measure computes the norms of the rows, if the metric uses them, as exact queries do.
func (l *links) measure(s *Searcher) error {
	if !s.space.NeedsNorms() {
		return nil
	}
	l.norms = make([]float64, len(s.order))
	return vectors.Ranges(s.opts.Threads, len(l.norms), 4096, func() func(from, to int) error {
		return func(from, to int) error {
			for p := from; p < to; p++ {
				l.norms[p] = s.space.Norm(s.rows.Row(p))
			}
			return s.opts.Context.Err()
		}
	})
}

// takeLeaders copies the rows of the leaders next to each other.
func (s *Searcher) takeLeaders() error {
	size := s.rows.Dim() * s.rows.Type().Size()
	s.leaders = make([]byte, 0, size*len(s.links.leaders))
	s.leaderIDs = make([]uint32, len(s.links.leaders))
	if s.links.norms != nil {
		s.leaderNorms = make([]float64, len(s.links.leaders))
	}
	return vectors.Guard(func() error {
		for i, l := range s.links.leaders {
			s.leaders = append(s.leaders, s.rows.Row(int(l.place))...)
			s.leaderIDs[i] = uint32(i)
			if s.leaderNorms != nil {
				s.leaderNorms[i] = s.links.norms[l.place]
			}
		}
		return nil
	})
}

// Check compares the links in DIR/search with ones made again, to the bit, the codes likewise, and a copy of
// the rows with the store's rows. It returns nil if they are the same, and fs.ErrNotExist if there are none.
func Check(ctx context.Context, g *store.Store) error {
	if g == nil {
		return errNoStore
	}
	kept, err := g.OpenDerived(store.DerivedLinks)
	if err != nil {
		return err
	}
	kept.Close()
	s := newSearcher(g, &Options{Context: ctx})
	defer s.Close()
	if err := s.openRows(); err != nil {
		return err
	}
	if err := (copier{s}).check(); err != nil {
		return err
	}
	id := s.identity()
	if err := s.mapLinks(id); err != nil {
		return err
	}
	m := s.maker(id)
	if err := m.compare(s.links, Path(g.Dir())); err != nil {
		return err
	}
	want, err := s.restOf(m)
	if err != nil {
		return err
	}
	if !bytes.Equal(want.encodeRest(), s.links.encodeRest()) {
		return fmt.Errorf("%w: %s: what stands from byte %d on is not that of the lists", ErrCorrupt, Path(g.Dir()), s.links.leadersAt())
	}
	return coder{s}.check()
}

func (m *maker) compare(kept *links, path string) error {
	_, err := m.table(func(first int, table []byte) error {
		at := 4 * m.width * first
		for i, b := range table {
			if kept.table[at+i] != b {
				return fmt.Errorf("%w: %s: byte %d, a link of place %d, is not that of the lists", ErrCorrupt, path, headerBytes+at+i, (at+i)/(4*m.width))
			}
		}
		return nil
	})
	return err
}

package refine

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/measure"
	"github.com/knng/knng/builder/refine/rankorder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Distance is a distance of the program's own: Key or Lists, not both. It must be symmetric to the bit,
// finite and deterministic; smaller is nearer. Name and Version identify it in the fingerprint and in the
// pair cache: change one of them whenever the function returns other values.
type Distance struct {
	Name    string
	Version int
	// Key compares two rows, addressed by input position. It is called by
	// several goroutines at once, with the smaller row first.
	Key func(a, b store.Row) (float32, error)
	// Lists returns a function that compares two rows by their lists in G1.
	// Each goroutine makes one, so it may hold buffers; a is the same in many
	// calls that follow one another.
	Lists func() func(a, b List) (float32, error)
}

// List is a row of G1 with its neighbors, nearest first, and their keys under
// the distance of G1. The slices are valid during the call.
type List struct {
	Row       uint32
	Neighbors []uint32 // input rows
	Keys      []float32
}

// RankOrder is the rank-order distance over the first cut entries of G1's
// lists, at least 1; see package rankorder.
func RankOrder(cut int) *Distance {
	cut = max(cut, 1)
	return &Distance{
		Name: fmt.Sprintf("rank-order %d", cut), Version: 1,
		Lists: func() func(a, b List) (float32, error) {
			c, begun, from := rankorder.New(cut), false, uint32(0)
			return func(a, b List) (float32, error) {
				if !begun || a.Row != from { // a row has one list
					c.From(a.Row, a.Neighbors)
					begun, from = true, a.Row
				}
				return c.To(b.Row, b.Neighbors), nil
			}
		},
	}
}

// Options of a refinement. The zero value of every field but Distance and
// Vectors, of which one is given, means its default.
type Options struct {
	// These name the result: changing one of them makes another graph.
	K        int             // neighbors of a row; G1's
	Visits   int             // T: most rows visited around a row; 500, and at least 2 k
	Distance *Distance       // a distance of the program's own
	Vectors  *vectors.Input  // or other rows of the same things, in the same order, and
	Metric   distance.Metric // a metric over them; Euclidean

	// These may change from one run to the next of the same refinement.
	Threads   int                 // GOMAXPROCS
	Memory    int64               // bytes of lists held at the end; 256 MiB
	PairCache builder.Switch      // by default where a distance of one's own costs 20 µs or more
	Scratch   string              // "" is DIR/scratch
	Progress  func(builder.Event) // called from one goroutine at a time; must be quick
	Logger    func(format string, args ...any)
}

// DefaultMemory is the default of Options.Memory. With less memory the offers are read more often.
const DefaultMemory = 256 << 20

func (o Options) withDefaults(g1 *store.Store) Options {
	o.K = cmp.Or(o.K, g1.Info().Manifest.K)
	o.Visits = cmp.Or(o.Visits, max(builder.DefaultVisits, 2*o.K))
	o.Metric = cmp.Or(o.Metric, distance.Euclidean)
	o.Threads = cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	return o
}

// Validate reports every fault of the options for a refinement of g1 at once.
func (o Options) Validate(g1 *store.Store) error {
	if err := measure.Given(g1); err != nil {
		return err
	}
	o = o.withDefaults(g1)
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("refine: "+format, args...))
		}
	}
	want := func(good bool, option string, value any, format string, args ...any) {
		fault(!good, "%w", &builder.OptionError{Option: option, Value: value, Want: fmt.Sprintf(format, args...)})
	}
	fault((o.Distance == nil) == (o.Vectors == nil), "want a distance or vectors, one of the two")
	want(o.K >= 1 && o.K <= builder.MaxK, "K", o.K, "1 to %d", builder.MaxK)
	want(o.K > builder.MaxK || o.Visits >= o.K && o.Visits <= 1<<20, "Visits", o.Visits, "%d, which is k, to %d", o.K, 1<<20)
	want(o.Metric.Known(), "Metric", o.Metric, "%s", distance.Names())
	want(o.Threads >= 1 && o.Threads <= 4096, "Threads", o.Threads, "1 to 4096")
	want(o.Memory >= 0, "Memory", o.Memory, "0 bytes or more")
	if m := g1.Info().Manifest; m.Sparse() {
		_, err := m.RowType()
		faults = append(faults, err)
	}
	if d := o.Distance; d != nil {
		fault(d.Name == "" || (d.Key == nil) == (d.Lists == nil), "a distance needs a name and one function, of rows or of lists")
	}
	if v := o.Vectors; v != nil {
		fault(v.Len() != g1.Len(), "%d vectors for a graph of %d rows: they must be of the same rows, in the same order", v.Len(), g1.Len())
	}
	return errors.Join(faults...)
}

// manifest describes G2: its contents and the options that name it.
func (r *run) manifest() store.Manifest {
	o, g1 := &r.opts, r.g1
	m := g1.Info().Manifest
	scale := m.Scale()
	onOff := map[bool]string{true: "on", false: "off"}
	m.K = o.K
	m.Options = []store.Option{
		{Name: "refined-from", Value: g1.Info().Checksum},
		{Name: "k", Value: strconv.Itoa(o.K)},
		{Name: "visits", Value: strconv.Itoa(o.Visits)},
		{Name: "ids", Value: onOff[g1.Info().IDs]},
	}
	if d := o.Distance; d != nil {
		if scale != 0 { // the rows are those of g1
			m.Options = append(m.Options, store.Option{Name: store.ScaleOption, Value: strconv.Itoa(scale)})
		}
		m.Options = append(m.Options, store.Option{Name: "distance", Value: fmt.Sprintf("%s v%d", d.Name, d.Version)})
		return m
	}
	m.Dim, m.Type, m.Files = o.Vectors.Dim(), o.Vectors.Type().String(), o.Vectors.Files
	m.Metric, m.Vectors = o.Metric.String(), "copy"
	m.Options = append(m.Options, store.Option{Name: "metric", Value: m.Metric}, store.Option{Name: "rows-checksum", Value: r.checksum})
	r.scale.Record(&m)
	return m
}

package export

import (
	"math"

	"github.com/knng/knng/store"
)

// exporter is one export.
type exporter struct {
	Graph
	Options
	wide      bool   // rows need 64 bits
	symmetric *edges // nil where the lists are exported as they are
}

// visit is told of a row and its list; the slices are valid during the call.
type visit func(row uint32, neighbors []uint32, values []float32) error

// width is the entries of a row in formats of fixed width.
func (x *exporter) width() int {
	if x.Self {
		return x.K() + 1
	}
	return x.K()
}

// keyed goes over the lists with keys, the row itself first where it is wanted.
func (x *exporter) keyed(fn visit) error {
	return x.lists(fn, func(key float32) float32 { return key })
}

// each goes over the lists, or the symmetric graph, with distances.
func (x *exporter) each(fn visit) error {
	if x.symmetric != nil {
		return x.symmetric.each(fn)
	}
	return x.lists(fn, x.Shown)
}

func (x *exporter) lists(fn visit, value func(key float32) float32) error {
	var ids []uint32
	var values []float32
	return x.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		ids, values = ids[:0], values[:0]
		if x.leads(len(neighbors)) {
			ids, values = append(ids, uint32(row)), append(values, 0)
		}
		ids = append(ids, neighbors...)
		for _, key := range keys {
			values = append(values, value(key))
		}
		return fn(uint32(row), ids, values)
	})
}

// leads reports whether the row itself comes before a list of so many entries:
// not before that of an isolated row, which is empty where others are not. A row alone has
// an empty list and is not isolated.
func (x *exporter) leads(entries int) bool { return x.Self && (entries > 0 || x.Len() == 1) }

// Fillers of the lists of isolated rows.
const noRow = -1

var noDistance = float32(math.Inf(1))

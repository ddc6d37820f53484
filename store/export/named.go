package export

import (
	"errors"
	"fmt"
	"strings"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

// described is a graph that describes itself; *store.Store is one.
type described interface {
	Named
	Info() store.Info
}

// ErrSelf says that Options.Self was asked of a graph in whose distance a row need not be
// nearest to itself.
var ErrSelf = errors.New("export: under ip the distance of a row to itself is -<x,x> and not the least: it cannot stand first in its list")

// selfIsNearest refuses Self where it would break the order of the lists.
func (o *Options) selfIsNearest(g Graph) error {
	if d, ok := g.(described); ok && o.Self && d.Info().Distance == distance.IP.String() {
		return ErrSelf
	}
	return nil
}

// names are the external ids of a graph; nil where it has none.
type names struct {
	described
	row uint32 // the last that was looked up
	id  string
}

func (x *exporter) names() *names {
	d, ok := x.Graph.(described)
	if !ok || !d.Info().IDs {
		return nil
	}
	return &names{described: d, row: ^uint32(0)}
}

// append adds the ids of a row and of a neighbor to a line of csv.
func (n *names) append(line []byte, row, neighbor uint32) (_ []byte, err error) {
	if n == nil {
		return line, nil
	}
	if row != n.row {
		if n.id, err = n.ID(store.Row(row)); err != nil {
			return line, fmt.Errorf("export: row %d: %w", row, err)
		}
		n.row = row
	}
	other, err := n.ID(store.Row(neighbor))
	if err != nil {
		return line, fmt.Errorf("export: row %d: %w", neighbor, err)
	}
	return append(append(append(append(line, ','), field(n.id)...), ','), field(other)...), nil
}

// field is a text as csv holds it (RFC 4180).
func field(s string) string {
	if !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

package reader

import (
	"encoding/json"
	"fmt"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/lookup"
	"github.com/knng/knng/vectors/distance"
)

// Info describes a store.
type Info struct {
	Manifest Manifest
	Checksum string          // hex SHA-256 of the gt export
	Distance string          // the metric that orders the lists, or the name of a distance function
	K        int             // length of the lists: min(manifest K, n-1)
	Lists    int             // rows with a list
	IDs      bool            // rows have external ids
	View     bool            // lists are looked up in the view, not in the database
	Result   json.RawMessage // the builder's report
	Files    []SealedFile    // from DIR/SEAL

	rows     int
	distance lookup.Distance
}

// ReadInfo makes an Info of the records of a store, all but View and Files: load decodes a
// record as encoding/json does, and reports whether there is one. Errors: ErrCorrupt,
// ErrFormat, those of load. Package store calls it for records in the database.
func ReadInfo(load func(name string, v any) (ok bool, err error)) (*Info, error) {
	info := new(Info)
	var shape block.Shape
	var ids int
	var result struct {
		Checksum string `json:"checksum"`
	}
	for _, r := range []struct {
		name string
		into any
	}{{"manifest", &info.Manifest}, {block.ShapeRecord, &shape}, {"result", &info.Result}, {"result", &result}} {
		ok, err := load(r.name, r.into)
		if err == nil && !ok {
			err = fmt.Errorf("%w: there is no record %q", ErrCorrupt, r.name)
		}
		if err != nil {
			return nil, err
		}
	}
	hasIDs, err := load("ids", &ids)
	if err != nil {
		return nil, err
	}
	if err := info.Manifest.Check(); err != nil {
		return nil, err
	}
	if err := shape.Check(); err != nil {
		return nil, err
	}
	info.Checksum, info.K, info.Lists, info.IDs, info.rows = result.Checksum, shape.K, shape.Lists, hasIDs, shape.Rows
	info.ordered()
	return info, nil
}

// ordered sets the distance that orders the lists.
func (i *Info) ordered() {
	metric, _ := distance.ParseMetric(i.Manifest.Metric)
	i.Distance, i.distance = i.Manifest.Metric, lookup.Distance{Metric: metric, Scale: i.Manifest.Scale()}
	if name, ok := i.Manifest.Option("distance"); ok {
		i.Distance, i.distance.Metric = name, 0
	}
}

// Rows returns the number of rows of the graph: isolated ones count, dropped ones do not.
func (i *Info) Rows() int { return i.rows }

// OwnDistance reports whether the keys come from a distance that is no metric of the rows:
// rank-order, or a function of the program that built the graph.
func (i *Info) OwnDistance() bool { return i.distance.Metric == 0 }

// Shown turns a key into the distance that Neighbors returns.
func (i *Info) Shown(key float32) float32 { return i.distance.Shown(key) }

package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

// distinct is nil where no id of a file, or of a column, is there twice.
func distinct(ids []string, name string) error {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(ids[a], ids[b]), a-b) })
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; ids[a] == ids[b] {
			return vectors.Refused(fmt.Errorf("%s: lines %d and %d are both %q", name, a+1, b+1, ids[a]))
		}
	}
	return nil
}

// tellUnnamed tells of rows without ids that come to a graph of rows with ids.
func (g *globals) tellUnnamed(db *living.DB, dir string) error {
	v, err := db.View()
	if err != nil {
		return err
	}
	defer v.Close()
	for row := range v.Rows() { // the first stands for all
		id, err := v.ID(row)
		if id != "" {
			g.say("the rows of %s have ids, and those that are put have none: they are known by their numbers alone (--ids FILE names them)", dir)
		}
		return err
	}
	return nil
}

// A comparer compares rows that are given with those of a view, as these are held: of float16 rounded.
type comparer struct {
	view       *living.View
	raw        []byte
	have, held []float32
}

func newComparer(v *living.View) *comparer {
	return &comparer{view: v, raw: make([]byte, v.Dim()*v.Type().Size()), held: make([]float32, v.Dim())}
}

// equal reports whether a row has these elements.
func (c *comparer) equal(row store.Row, values []float32) (bool, error) {
	if vectors.Encode(c.view.Type(), values, c.raw) != nil {
		return false, nil // they are refused when they are put
	}
	vectors.Decode(c.view.Type(), c.raw, c.held)
	var err error
	c.have, err = c.view.Vector(row, c.have)
	return err == nil && slices.Equal(c.have, c.held), err
}

// there reports whether an id has this vector already, and counts.
func (s *appended) there(tx *living.Tx, c *comparer, id string, values []float32) (bool, error) {
	row, err := tx.RowOf(id)
	if errors.Is(err, living.ErrNoID) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	same, err := c.equal(row, values)
	switch {
	case err != nil:
	case same:
		s.Same++
	default:
		s.Replaced++
	}
	return same, err
}

package groups

import (
	"context"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/offheap"
)

// DivideByPlanes assigns every row to one leaf of each of Overlap divisions by hyperplanes, which separate
// rows with equal codes. It reads all rows for every level of a tree, and uses 20 bytes a row meanwhile. It
// ignores d.Leaders.
func DivideByPlanes(ctx context.Context, d Division, tree *division.Tree) (*Leaves, error) {
	l := &Leaves{Division: d}
	l.Leaders = 0
	var err error
	if l.assigned, err = offheap.Take[uint32](d.Memory, d.Rows.Len()*d.Overlap); err != nil {
		return nil, err
	}
	for j := range d.Overlap {
		if err := l.plant(ctx, tree, j); err != nil {
			l.Free()
			return nil, err
		}
	}
	if err := l.group(ctx); err != nil {
		l.Free()
		return nil, err
	}
	return l, nil
}

// plant makes division j of the rows.
func (l *Leaves) plant(ctx context.Context, tree *division.Tree, j int) error {
	leaves, err := tree.Divide(ctx, l.Number*uint32(l.Overlap)+uint32(j))
	if err != nil {
		return err
	}
	for i := range leaves.Len() {
		for _, place := range leaves.Leaf(i) {
			l.assigned.Slice[int(place)*l.Overlap+j] = uint32(l.Leaders + i)
		}
	}
	l.Leaders += leaves.Len()
	if l.Progress != nil {
		l.Progress(l.Rows.Len() / l.Overlap)
	}
	return nil
}

package builder

import (
	"github.com/knng/knng/builder/internal/job"
)

// roomForOrder is for the store's own rows, their order, and the copy in input order that
// is made first where rows cannot be mapped.
func (r *run) roomForOrder() error {
	n, size := int64(len(r.Good)), int64(r.src.Dim()*r.src.Type().Size())
	all := n + int64(r.Groups.Len())
	if r.opts.Reference {
		return r.RoomFor("the order", 4*all, 0)
	}
	spooled := int64(0)
	if _, mapped := r.src.Mapped(); !r.traits.inOrder && (!mapped || len(r.Good) != r.src.Len()) {
		spooled = n * size
	}
	return r.RoomFor("the copy of the rows", all*(size+4), spooled)
}

// roomForStage asks for the bytes that a stage will write at least.
func (r *run) roomForStage(kind string) error {
	stored, scratch, err := r.method.Writes(kind)
	if err != nil || stored == 0 && scratch == 0 {
		return err
	}
	begun := false // then part of it is there
	err = r.Draft.Units(r.StageNumber(), func(uint32, []byte) error { begun = true; return nil })
	if err != nil || begun {
		return err
	}
	return r.RoomFor("the next "+kind, stored, scratch)
}

// roomForLists requires room for the adjacency with its view and catalog.
func (r *run) roomForLists() error {
	if _, done, err := r.Draft.Adjacency(); done || err != nil {
		return err
	}
	rows := len(r.Good) + r.Groups.Len()
	return r.RoomFor("the adjacency with its view and catalog", job.ListBytes(rows, r.listLength())+5*int64(rows), 0)
}

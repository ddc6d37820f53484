package builder

import (
	"github.com/knng/knng/builder/internal/job"
)

// roomForStage asks for the bytes that a stage will write at least.
func (r *run) roomForStage(kind string) error {
	stored, scratch, err := r.Method.Writes(kind)
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

package build

import "github.com/knng/knng/builder/internal/job"

// RoomForStage reserves the bytes of disk that a stage will write at least.
func (b *Build) RoomForStage(kind string) error {
	stored, scratch, err := b.Method.Writes(kind)
	if err != nil || stored == 0 && scratch == 0 {
		return err
	}
	begun := false // then part of it is already written
	err = b.Draft.Units(b.StageNumber(), func(uint32, []byte) error { begun = true; return nil })
	if err != nil || begun {
		return err
	}
	what := "the next " + kind
	if kind == job.ExactStage {
		what = "the comparison of all rows"
	}
	return b.RoomFor(what, stored, scratch)
}

package rooted

import (
	"errors"
	"os"
)

// Locked is a locked file, which closing unlocks.
type Locked struct{ *os.File }

func (l Locked) Close() error { return errors.Join(unlock(l.File), l.File.Close()) }

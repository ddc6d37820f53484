package builder

import "time"

// KeepEvery sets how long the balls method runs between two writings of its
// lists, and returns what puts it back.
func KeepEvery(d time.Duration) (restore func()) {
	before := keepEvery
	keepEvery = d
	return func() { keepEvery = before }
}

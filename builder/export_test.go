package builder

import (
	"time"

	"github.com/knng/knng/store"
)

// On returns o with everything but scratch files written through fs.
func (o Options) On(fs store.FS) Options {
	o.files = fs
	return o
}

// KeepEvery sets how long the balls method runs between two writings of its
// lists, and returns what puts it back.
func KeepEvery(d time.Duration) (restore func()) {
	before := keepEvery
	keepEvery = d
	return func() { keepEvery = before }
}

// SmallParts makes groups and stripes of the parts method small, and returns what
// puts them back.
func SmallParts(group int64, stripe int) (restore func()) {
	beforeGroup, beforeStripe := groupBytes, stripePlaces
	groupBytes, stripePlaces = group, stripe
	return func() { groupBytes, stripePlaces = beforeGroup, beforeStripe }
}

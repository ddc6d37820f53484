package solve

import (
	"context"

	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors/codes"
)

// Near offers to the lists of places, whose codes come first, the rows after them, which are those from place
// from on.
func Near(ctx context.Context, ps *points.Points, x *codes.Matrix, places []uint32, from int, lists *knn.Lists) error {
	search := recall.Search{K: min(lists.K+1, x.Len()-1), Threads: ps.Threads, Skip: func(number uint32) bool { return int(number) < len(places) }}
	found, _, err := search.Screened(ctx, x.Len(), x.Dim(), ps.Numbers(len(places)), func() screen.Screen { return screen.Codes(x) },
		func() recall.Keys { return nil })
	if err != nil {
		return err
	}
	points.OfferChunk(lists, found, places, from)
	return nil
}

package judge

import (
	"context"
	"runtime"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/products"
)

// exact computes the exact lists of some rows: by screens, which are several
// times faster and change no list, where keys need no norms.
func exact(ctx context.Context, rows *vectors.Rows, space *distance.Space, k int, sample []uint32) (*recall.Lists, error) {
	search := recall.Search{K: k, Threads: runtime.GOMAXPROCS(0)}
	if space.NeedsNorms() {
		lists, _, err := search.Rows(ctx, rows, space, sample)
		return lists, err
	}
	screens, err := newScreens(rows, space, search.Threads)
	if err != nil {
		return nil, err
	}
	keys := func(x uint32, ids []uint32, out []float32) (int, error) {
		space.Keys(rows.Row(int(x)), 0, rows.Base(), rows.Stride(), nil, ids, out)
		return len(ids), nil
	}
	lists, _, err := search.Screened(ctx, rows.Len(), rows.Dim(), sample, screens, func() recall.Keys { return keys })
	return lists, err
}

// newScreens returns a function that makes a screen over the rows for a goroutine.
func newScreens(rows *vectors.Rows, space *distance.Space, threads int) (func() screen.Screen, error) {
	if rows.Type() == vectors.Uint8 {
		m, err := codes.Of(rows, space, codes.Rounding{}, threads)
		return func() screen.Screen { return screen.Codes(m) }, err
	}
	m, err := products.Of(rows, space, threads)
	return func() screen.Screen { return screen.Products(m) }, err
}

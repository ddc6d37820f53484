package store

import "context"

// Stoppable is a store whose EachKeyed, the pass over all lists that packages export and
// analysis make, ends when a context does. It is what a program gives to them that it may
// want to stop.
type Stoppable struct {
	*Store
	ctx context.Context
}

// Under returns the store with an EachKeyed that ends with the error of ctx; its other
// methods do not look at ctx. Both are closed by closing the store.
func (s *Store) Under(ctx context.Context) Stoppable { return Stoppable{s, ctx} }

// rowsPerLook is how many lists are read between two looks at the context.
const rowsPerLook = 4096

// EachKeyed is that of the store, and looks at the context now and then.
func (s Stoppable) EachKeyed(fn func(row Row, neighbors []uint32, keys []float32) error) error {
	return s.Store.EachKeyed(func(row Row, neighbors []uint32, keys []float32) error {
		if row%rowsPerLook == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		return fn(row, neighbors, keys)
	})
}

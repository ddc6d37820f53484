package store

import "context"

// Stoppable is a store whose EachKeyed ends when a context does. Packages export and analysis
// pass over all lists by it: a program that may want to stop them gives them a Stoppable.
type Stoppable struct {
	*Store
	ctx context.Context
}

// Under returns the store with an EachKeyed that ends with the error of ctx; its other
// methods do not look at ctx. Both are closed by closing the store.
func (s *Store) Under(ctx context.Context) Stoppable { return Stoppable{s, ctx} }

// rowsPerLook is how many lists are read between two looks at the context.
const rowsPerLook = 4096

// EachKeyed is Store.EachKeyed, ended by the error of the context.
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

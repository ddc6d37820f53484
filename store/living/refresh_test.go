package living_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/knng/knng/store/living"
)

// TestRefreshTogether: several goroutines refresh the same view and back it up, while another process, here a DB,
// puts rows, integrates and compacts: each sees at least what was promised before it asked.
func TestRefreshTogether(t *testing.T) {
	dir, rows := builtStore(t, 100, 4)
	db, err := living.Open(dir, new(living.Options).Chunk(8))
	must(t, err)
	defer db.Close()
	v := reader(t, dir)
	mine := view(t, db)
	var promised sync.Map
	promised.Store("ops", uint64(0))
	stop := make(chan bool)
	var g sync.WaitGroup
	for i := range 3 {
		g.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				least, _ := promised.Load("ops")
				now, err := v.Refresh()
				if err != nil {
					t.Error(err)
					return
				}
				if got := now.State().Ops; got < least.(uint64) {
					t.Errorf("%d operations, %d were promised", got, least)
				}
				must(t, now.Close())
				if n%8 == 0 && i == 0 {
					from := []*living.View{v, mine}[n/8%2]
					if err := from.Backup(t.Context(), filepath.Join(t.TempDir(), "b")); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for i := range 60 {
		must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("", rows[i])) }))
		promised.Store("ops", uint64(i+1))
		if i%9 == 8 {
			must(t, db.Integrate(t.Context()))
		}
		if i%25 == 24 {
			compact(t, db, 0)
		}
	}
	close(stop)
	g.Wait()
}

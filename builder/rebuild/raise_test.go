package rebuild_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

// raised compacts a store for a recall, and returns the result and the recall of its lists.
func raised(t *testing.T, db *living.DB, recall float64, threads int) (*builder.Result, builder.RecallEstimate) {
	t.Helper()
	must(t, rebuild.Compact(t.Context(), db, rebuild.Options{Recall: recall, Threads: threads}))
	v, err := db.View()
	must(t, err)
	defer v.Close()
	result := new(builder.Result)
	must(t, store.ReadResult(v.Base().Dir(), result))
	est, err := rebuild.Recall(t.Context(), v, 400, 1, 2)
	must(t, err)
	return result, est
}

// TestRaiseBegins: a compaction for a higher recall begins from the lists of before: it takes fewer
// pairs than a build for that recall, keeps rows and ids, and is the same on any number of threads
// and after an interruption, also where rows were put before it and integrated during the
// interruption.
func TestRaiseBegins(t *testing.T) {
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Float32} {
		t.Run(typ.String(), func(t *testing.T) {
			const n, more, high = 16000, 1100, 0.99
			data := wideRows(1, n+more, 128)
			dir := t.TempDir()
			path := func(name string) string { return filepath.Join(dir, name) }
			prepared := func(name string) *living.DB {
				buildWide(t, path(name), typ, data[:n*wide])
				db, err := living.Open(path(name), nil)
				must(t, err)
				t.Cleanup(func() { db.Close() })
				must(t, db.Update(func(tx *living.Tx) error {
					for i := n; i < n+more; i++ {
						if _, err := tx.Put("", data[i*wide:(i+1)*wide]); err != nil {
							return err
						}
					}
					return errors.Join(tx.DeleteRow(17), tx.DeleteRow(n+3))
				}))
				return db
			}
			db := prepared("one")
			want := contentOf(t, path("one"))
			one, est := raised(t, db, high, 1)
			if sum := contentOf(t, path("one")); sum != want {
				t.Errorf("content %v, want %v", sum, want)
			}
			whole := buildAt(t, path("whole"), typ, data[:n*wide], high)
			if one.RequestedPairs > whole.RequestedPairs || est.High < high {
				t.Errorf("%d pairs and recall %+v, a build takes %d for %+v", one.RequestedPairs, est, whole.RequestedPairs, whole.Recall)
			}

			db = prepared("two")
			ctx, cancel := context.WithCancel(t.Context())
			known := false
			err := rebuild.Compact(ctx, db, rebuild.Options{Recall: high, Threads: 2, Progress: func(e builder.Event) {
				if here := e.Phase == "known lists"; known && !here && e.Phase != "" {
					cancel()
				} else if here {
					known = true
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			must(t, db.Integrate(t.Context()))
			if two, _ := raised(t, db, high, 2); two.Checksum != one.Checksum {
				t.Errorf("checksum %s on two threads, %s on one", two.Checksum, one.Checksum)
			}
			again, est := raised(t, db, 0.995, 2)
			if est.High < 0.995 {
				t.Errorf("raised again: %d pairs and recall %+v", again.RequestedPairs, est)
			}
		})
	}
}

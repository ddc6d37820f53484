package living_test

import (
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
)

// TestTune: the effort that is found suits rows that were put as well, where those that were built are far easier to search, and the recall
// that is told holds of other queries that lie as the live rows do.
func TestTune(t *testing.T) {
	dir, base := builtStore(t, 1500, 12)
	db, err := living.Open(dir, new(living.Options).Chunk(500))
	must(t, err)
	defer db.Close()
	rng := rand.New(rand.NewPCG(2, 2))
	row := func() []float32 {
		v := make([]float32, 12)
		for i := range v {
			v[i] = float32(3 * rng.NormFloat64())
		}
		return v
	}
	easy, err := view(t, db).Tune(t.Context(), search.TuneOptions{Recall: 0.9, Sample: 100}, 2)
	must(t, err)
	must(t, db.Update(func(tx *living.Tx) error {
		for range 2600 {
			if _, err := tx.Put("", row()); err != nil {
				return err
			}
		}
		for i := range base {
			if err := tx.DeleteRow(store.Row(i)); err != nil || i == 700 {
				return err
			}
		}
		return nil
	}))
	must(t, db.Integrate(t.Context()))
	v := view(t, db)
	tuned, err := v.Tune(t.Context(), search.TuneOptions{Recall: 0.9, Sample: 200}, 2)
	must(t, err)
	var recalls []float64
	for i := range 300 {
		query := row()
		if i*v.Len() < 300*799 { // as the base
			query = base[800+i]
		}
		found, err := v.Search(query, living.Query{K: 10, Effort: tuned.Effort})
		must(t, err)
		exact, err := v.Search(query, living.Query{K: 10, Exact: true})
		must(t, err)
		recalls = append(recalls, search.Recall(found, exact))
	}
	if got := mean(recalls); !tuned.Reached || len(tuned.PerQuery) != 200 || got < 0.87 || got > tuned.Recall+0.05 || got < tuned.Recall-0.05 {
		t.Errorf("tuned %+v, before rows were put %d: recall %.3f", tuned, easy.Effort, got)
	}
}

// TestHeldOutLeadsNowhere: a search that goes down an island does not follow the links of a row that is held out. In a chain of
// rows far from the graph the furthest of these links is that of no row before.
func TestHeldOutLeadsNowhere(t *testing.T) {
	dir, _ := builtStore(t, 300, 2)
	db, err := living.Open(dir, new(living.Options).Chunk(60))
	must(t, err)
	defer db.Close()
	must(t, db.Update(func(tx *living.Tx) (err error) {
		for i := 0; i < 60 && err == nil; i++ {
			_, err = tx.Put("", []float32{float32(1000 + i), 0})
		}
		return err
	}))
	must(t, db.Integrate(t.Context()))
	const hidden = 30
	for _, held := range []bool{false, true} {
		if met := view(t, db).MeetsLinksOf(hidden, []float32{1000 + hidden, 0}, held); met == held {
			t.Errorf("held out %v: the furthest row that it is linked to is met: %v", held, met)
		}
	}
}

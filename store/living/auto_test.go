package living_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// TestAuto: a store compacts itself as rows are put and deleted: few are dead or in no base at
// any time, readers and the writer go on, and the base is the same whether compactions run
// alone or are overtaken by transactions, and interrupted.
func TestAuto(t *testing.T) {
	var want string
	for way := range 3 {
		dir, rows := builtStore(t, 300, 6)
		rng := rand.New(rand.NewPCG(8, 8))
		o := new(living.Options).Due(50)
		o.Auto = true
		bases := map[string]bool{}
		o.Rebuild = func(ctx context.Context, job living.Job) error {
			bases[job.Dir] = true
			return rebuild.Auto(rebuild.Options{Threads: 1 + way%2})(ctx, job)
		}
		db, err := living.Open(dir, o)
		fine(t, err)
		live := make([]store.Row, len(rows))
		for i := range live {
			live[i] = store.Row(i)
		}
		for round := range 60 {
			fine(t, db.Update(func(tx *living.Tx) error {
				for range 7 {
					row, err := tx.Put("", rows[rng.IntN(len(rows))])
					fine(t, err)
					live = append(live, row)
					at := rng.IntN(len(live))
					fine(t, tx.DeleteRow(live[at]))
					live[at] = live[len(live)-1]
					live = live[:len(live)-1]
				}
				return nil
			}))
			switch {
			case way == 0:
				fine(t, db.Wait())
			case way == 2 && round%9 == 8: // likely in the midst of one
				fine(t, db.Close())
				db, err = living.Open(dir, o)
				fine(t, err)
			}
		}
		fine(t, db.Wait())
		v, err := db.View()
		fine(t, err)
		if st := v.State(); st.Rows != 300 || st.Dead > 60 || len(bases) < 3 {
			t.Errorf("way %d: %+v after %d compactions", way, st, len(bases))
		}
		got := v.Base().Info().Checksum
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("way %d: base %s, want %s", way, got, want)
		}
		fine(t, v.Close())
		fine(t, db.Close())
	}
}

// TestAutoFails: a compaction that fails in the background is told by one Update, whose operations
// are durable, and no other is begun.
func TestAutoFails(t *testing.T) {
	dir, rows := builtStore(t, 100, 6)
	o := new(living.Options).Due(10)
	o.Auto = true
	fault, runs := errors.New("no room"), 0
	o.Rebuild = func(context.Context, living.Job) error { runs++; return fault }
	db, err := living.Open(dir, o)
	fine(t, err)
	told := 0
	for range 40 {
		err := db.Update(func(tx *living.Tx) error {
			_, err := tx.Put("", rows[0])
			return err
		})
		if errors.Is(err, living.ErrCompact) && errors.Is(err, fault) {
			told++
		} else {
			fine(t, err)
		}
	}
	if err := db.Wait(); err != nil {
		told++
	}
	v := view(t, db)
	if told != 1 || runs != 1 || v.Len() != 140 || !v.State().Unended {
		t.Errorf("told %d times of %d runs, %+v", told, runs, v.State())
	}
	fine(t, db.Close())
}

// TestCloseInterrupts: Close interrupts a compaction in the background also while somebody waits for it: Wait,
// or a transaction that makes the next one due, or one for which there is hardly room. Transactions go on while
// Wait waits.
func TestCloseInterrupts(t *testing.T) {
	for _, who := range []string{"Wait", "due", "room"} {
		t.Run(who, func(t *testing.T) {
			dir, rows := builtStore(t, 100, 6)
			o := new(living.Options).Due(10)
			o.Auto, o.Tail = true, 40
			if who == "due" {
				o.Tail = 400
			}
			began := make(chan bool, 1)
			o.Rebuild = func(ctx context.Context, _ living.Job) error {
				began <- true
				<-ctx.Done()
				return ctx.Err()
			}
			db, err := living.Open(dir, o)
			fine(t, err)
			put := func(n int) error {
				return db.Update(func(tx *living.Tx) error {
					for range n {
						_, err := tx.Put("", rows[0])
						fine(t, err)
					}
					return nil
				})
			}
			fine(t, put(26)) // of 100 rows more than a quarter
			<-began
			waits := make(chan error, 1)
			switch who {
			case "Wait":
				go func() { waits <- db.Wait() }()
			case "due":
				go func() { waits <- put(60) }()
			case "room":
				fine(t, put(4))
				go func() { waits <- put(1) }()
			}
			time.Sleep(50 * time.Millisecond)
			if who == "Wait" {
				inTime(t, "a transaction", func() error { return put(1) })
			}
			inTime(t, "Close", db.Close)
			inTime(t, who, func() error {
				err := <-waits
				switch {
				case who == "Wait" && errors.Is(err, context.Canceled), who == "room" && errors.Is(err, living.ErrClosed):
					return nil
				}
				return err
			})
		})
	}
}

// inTime fails where a call takes seconds.
func inTime(t *testing.T, what string, call func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		fine(t, err)
	case <-time.After(10 * time.Second):
		t.Fatalf("%s has not ended after 10 seconds", what)
	}
}

func fine(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

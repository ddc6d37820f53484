package shards_test

import (
	"context"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/shards"
)

// TestShardsCourse: the course that every wave tells has the waves before it, itself and in the end those that
// came, with as many tasks and with a time; the chance of what is done is 1, and of what is to come no more.
func TestShardsCourse(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	cases := shardCases(t)
	for _, name := range []string{"bytes", "divisions", "floats", "drop", "few", "one"} {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			c.opts.Method = builder.Parts
			run := begin(t, c.paths, c.opts, shards.Cut{Rows: 700, Range: 333})
			s, err := shards.Open(run, shards.Worker{Threads: 1, Scratch: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			type leg struct {
				stage    string
				division int
			}
			var came []leg
			for {
				w, err := s.Next()
				if err != nil {
					t.Fatal(err)
				}
				if w.Ended {
					break
				}
				if name != "one" {
					checkCourse(t, w, len(came))
					came = append(came, leg{w.Course[w.At].Stage, w.Course[w.At].Division})
					for i, l := range came {
						if w.Course[i].Stage != l.stage || w.Course[i].Division != l.division {
							t.Fatalf("leg %d of the course is %v, it was %v", i, w.Course[i], l)
						}
					}
				} else if w.Course != nil {
					t.Errorf("one row has a course: %v", w.Course)
				}
				if err := s.Do(context.Background(), w.Tasks[0]); err != nil {
					t.Fatal(err)
				}
				again, err := s.Next()
				if err != nil {
					t.Fatal(err)
				}
				if len(w.Tasks) > 1 && (again.At != w.At || again.Done != w.Done+1) {
					t.Errorf("after one of %d tasks of leg %d it is at %d, %d done", len(w.Tasks), w.At, again.At, again.Done)
				}
				for _, task := range w.Tasks[1:] {
					if err := s.Do(context.Background(), task); err != nil {
						t.Fatal(err)
					}
				}
				if len(came) > 0 && came[len(came)-1].stage == "seal" && len(came) != len(w.Course) {
					t.Errorf("%d waves came, %d are in the course", len(came), len(w.Course))
				}
			}
		})
	}
}

// checkCourse checks the course of a wave that at others came before.
func checkCourse(t *testing.T, w *shards.Wave, at int) {
	t.Helper()
	if w.At != at || len(w.Course) <= at {
		t.Fatalf("%s is leg %d of %d, want %d", w.Doing, w.At, len(w.Course), at)
	}
	first, here := w.Tasks[0], w.Course[at]
	if here.Division != first.Division || here.Stage != first.Stage {
		t.Errorf("%v is leg %v", first, here)
	}
	if here.Stage != "solve" && here.Tasks != len(w.Tasks)+w.Done {
		t.Errorf("leg %v has %d tasks, planned %d", here, len(w.Tasks)+w.Done, here.Tasks)
	}
	for i, l := range w.Course {
		if l.Seconds <= 0 || l.Tasks < 1 || l.Chance <= 0 || l.Chance > 1+1e-9 || i <= at && l.Chance < 1-1e-9 {
			t.Errorf("at leg %d, leg %d is %+v", at, i, l)
		}
	}
}

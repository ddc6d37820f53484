package shards_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder/shards"
	"github.com/knng/knng/vectors"
)

// TestShardsByOneProcess: a process that does all tasks, and keeps what they have in common,
// makes the graph of one machine; tasks that fail between them change nothing.
func TestShardsByOneProcess(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	paths, o, cut, want := small(t)
	run, w := begin(t, paths, o, cut), shards.Worker{Version: "1", Threads: 1, Scratch: t.TempDir()}
	one, err := shards.Open(run, w)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	rng := rand.New(rand.NewPCG(5, 7))
	for {
		wave, err := one.Next()
		if err != nil {
			t.Fatal(err)
		}
		if wave.Ended {
			break
		}
		rng.Shuffle(len(wave.Tasks), func(i, j int) { wave.Tasks[i], wave.Tasks[j] = wave.Tasks[j], wave.Tasks[i] })
		for _, task := range wave.Tasks {
			canceled, cancel := context.WithCancel(context.Background())
			cancel()
			if rng.IntN(3) == 0 {
				one.Do(canceled, task) // ends in the middle, or is done
			}
			if err := one.Do(context.Background(), task); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := unite(t, run, w); got.Checksum != want {
		t.Errorf("another graph: %s, want %s", got.Checksum, want)
	}
}

// TestShardsSeeAChangedInput: a process that has the input open looks at it again where it was
// written to.
func TestShardsSeeAChangedInput(t *testing.T) {
	paths, o, cut, _ := small(t)
	run := begin(t, paths, o, cut)
	s, err := shards.Open(run, shards.Worker{Version: "1", Threads: 1, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Do(context.Background(), shards.Task{Stage: "audit", Part: 0}); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(data) / 2; i < len(data); i++ {
			data[i] ^= 1
		}
		if err := os.Remove(path); err != nil { // a new file: the old one is mapped
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(data[:8:8], data[8:]...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	err = s.Do(context.Background(), shards.Task{Stage: "audit", Part: 1})
	if err == nil || !strings.Contains(err.Error(), "not as it was when the run was begun") {
		t.Errorf("%v, want a refusal", err)
	}
}

// TestUniteRefusesOtherIDs: ids that were changed after the run was begun are no ids of its graph.
func TestUniteRefusesOtherIDs(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	paths, o, cut, want := small(t)
	in := openInput(t, paths)
	var ids strings.Builder
	for row := range in.Len() {
		fmt.Fprintf(&ids, "row%d\n", row)
	}
	o.IDs = filepath.Join(t.TempDir(), "ids.txt")
	write := func(text string) {
		if err := os.WriteFile(o.IDs, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(ids.String())
	run, w := begin(t, paths, o, cut), shards.Worker{Version: "1", Threads: 1, Scratch: t.TempDir()}
	if err := drive(t, run, w, nil, nil); err != nil {
		t.Fatal(err)
	}
	write(strings.Replace(ids.String(), "row7\n", "Row7\n", 1))
	s, err := shards.Open(run, w)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	graph := filepath.Join(t.TempDir(), "g")
	if _, err := s.Unite(context.Background(), graph); !errors.Is(err, vectors.ErrUsage) || !strings.Contains(err.Error(), o.IDs+" has changed since the build was begun") {
		t.Errorf("another id of row 7: %v", err)
	}
	write(ids.String())
	if res, err := s.Unite(context.Background(), graph); err != nil || res.Checksum != want {
		t.Errorf("the ids are as they were: %v, %+v", err, res)
	}
}

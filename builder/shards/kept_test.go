package shards_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/knng/knng/builder/shards"
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

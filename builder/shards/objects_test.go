package shards_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/knng/knng/builder/shards"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/objects/objectstest"
)

// TestShardsInObjects: rows and a run in an object store that fails now and then give the
// graph that they give on a disk.
func TestShardsInObjects(t *testing.T) {
	store := objectstest.Start(t)
	paths, o, cut, want := small(t)

	var remote []string
	for i, path := range paths {
		at := "test://rows/" + string(rune('a'+i)) + filepath.Ext(path)
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(store.Path(at)), 0o777)
		}
		if err == nil {
			err = os.WriteFile(store.Path(at), raw, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		remote = append(remote, at)
	}
	in, err := vectors.Open(remote, &vectors.OpenOptions{Remote: shards.Remote(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if local := openInput(t, paths); !slices.EqualFunc(in.Files, local.Files, func(a, b vectors.File) bool {
		return a.Size == b.Size && a.Sample == b.Sample && a.Rows == b.Rows && a.First == b.First
	}) {
		t.Errorf("files %+v, want %+v", in.Files, local.Files)
	}
	run, err := shards.Begin(context.Background(), "test://runs/run", in, o, cut)
	if err != nil {
		t.Fatal(err)
	}
	worker := shards.Worker{Version: cut.Version, Threads: 1}
	failing(store)
	failures := 0
	for {
		err := drive(t, run, worker, nil, nil)
		if err == nil {
			break
		}
		if failures++; failures > 500 || !strings.Contains(err.Error(), "out of order") {
			t.Fatalf("failure %d: %v", failures, err)
		}
	}
	store.Fail = nil
	if got := unite(t, run, worker); got.Checksum != want {
		t.Errorf("checksum %s, want %s, after %d failures", got.Checksum, want, failures)
	}
	if failures == 0 {
		t.Error("no failure was seen")
	}
}

// failing makes one of a hundred requests fail.
func failing(store *objectstest.Gateway) {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(1, 2))
	store.Fail = func(*http.Request) string {
		mu.Lock()
		defer mu.Unlock()
		if rng.IntN(100) == 0 {
			return "the store is out of order"
		}
		return ""
	}
}

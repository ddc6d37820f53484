package objects_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/knng/knng/vectors/objects"
	"github.com/knng/knng/vectors/objects/objectstest"
)

// put stores an object of so many random bytes.
func put(t *testing.T, at string, size int) []byte {
	t.Helper()
	rng := rand.NewChaCha8([32]byte{1})
	data := make([]byte, size)
	rng.Read(data)
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := objects.Put(at, file); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestStore: an object that is put is there, and is gone when it is removed.
func TestStore(t *testing.T) {
	objectstest.Start(t)
	data := put(t, "test://a/x y%", 1000)
	put(t, "test://a/z", 0)
	put(t, "test://a/below/w", 5)
	if size, err := objects.Size("test://a/x y%"); size != 1000 || err != nil {
		t.Errorf("size %d, %v", size, err)
	}
	if got, err := objects.Read("test://a/x y%", 10, 700); err != nil || !bytes.Equal(got, data[10:700]) {
		t.Errorf("read: %v", err)
	}
	if names, err := objects.List("test://a/below"); err != nil || !slices.Equal(names, []string{"w"}) {
		t.Errorf("list %q, %v", names, err)
	}
	if err := objects.Remove("test://a"); err != nil {
		t.Error(err)
	}
	if names, err := objects.List("test://a"); err != nil || len(names) > 0 {
		t.Errorf("list of nothing %q, %v", names, err)
	}
	if _, err := objects.Size("test://a/z"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("size of nothing: %v", err)
	}
}

// TestObject: ranges that many goroutines need are there, and no block is fetched twice.
func TestObject(t *testing.T) {
	g := objectstest.Start(t)
	data := put(t, "test://x", 18<<20+5)
	o, err := objects.Open("test://x", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	g.Requests.Store(0)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			for range 50 {
				from := rng.IntN(len(data))
				got := make([]byte, min(rng.IntN(100_000), len(data)-from))
				if err := o.Need(int64(from), int64(from+len(got))); err != nil {
					t.Error(err)
				}
				if n, err := o.File().ReadAt(got, int64(from)); n < len(got) || !bytes.Equal(got, data[from:from+n]) {
					t.Errorf("%d bytes at %d: %v", n, from, err)
				}
			}
		})
	}
	all.Wait()
	if n := g.Requests.Load(); n > 5 {
		t.Errorf("%d requests for 5 blocks", n)
	}
	few := make([]byte, 10)
	if _, err := o.Direct().ReadAt(few, 77); err != nil || !bytes.Equal(few, data[77:87]) {
		t.Errorf("direct: %v", err)
	}
}

// TestFailure: an error names the object and gives the text of the gateway, and the next try
// can succeed.
func TestFailure(t *testing.T) {
	g := objectstest.Start(t)
	put(t, "test://x", 100)
	o, err := objects.Open("test://x", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	g.Fail = func(*http.Request) string { return "the store is on fire" }
	if err := o.Need(0, 100); err == nil || !strings.Contains(err.Error(), "test://x") || !strings.Contains(err.Error(), "on fire") {
		t.Errorf("%v", err)
	}
	g.Fail = nil
	if err := o.Need(0, 100); err != nil {
		t.Error(err)
	}
}

// TestNoGateway: without one, the error says which command has one.
func TestNoGateway(t *testing.T) {
	t.Setenv(objects.Variable, "")
	if _, err := objects.Size("s3://a/b"); !errors.Is(err, objects.ErrNoGateway) {
		t.Errorf("%v", err)
	}
	for path, want := range map[string]bool{"s3://a/b": true, "a/b": false, "/a/b": false, "://a": false, "s3://": false, "./a://b": false, `C:\a`: false} {
		if objects.Is(path) != want {
			t.Errorf("%q is an object: %v", path, !want)
		}
	}
}

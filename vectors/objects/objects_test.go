package objects_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/knng/knng/vectors"
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

// TestFailingStoreIsNotRefused: where a store fails, nothing is said of the rows; where it gives others than the
// format has, they are refused.
func TestFailingStoreIsNotRefused(t *testing.T) {
	status, size, body := 0, "1000", []byte(nil)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/size" && status != http.StatusForbidden:
			io.WriteString(w, size)
		case status == http.StatusPartialContent:
			w.WriteHeader(status)
			w.Write(body)
		default:
			http.Error(w, "the store is not in the mood", status)
		}
	}))
	defer gateway.Close()
	t.Setenv(objects.Variable, gateway.URL)
	open := func(path string) error {
		_, err := vectors.Open([]string{path}, &vectors.OpenOptions{Remote: func(path string) (vectors.Remote, error) { return objects.Open(path, t.TempDir()) }})
		return err
	}
	for _, status = range []int{http.StatusForbidden, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusPartialContent} { // the last is cut short
		if err := open("test://a/x.fbin"); err == nil || errors.Is(err, vectors.ErrRows) || errors.Is(err, vectors.ErrUsage) {
			t.Errorf("status %d: is refused: %t; %v", status, errors.Is(err, vectors.ErrRows), err)
		}
	}
	size, body = "9", []byte("\x01\x00\x00\x00\x01\x00\x00\x00\x00") // a row of one float32 has 12
	if err := open("test://a/x.fbin"); !errors.Is(err, vectors.ErrRows) {
		t.Errorf("a damaged file: %v", err)
	}
	gateway.Close()
	if err := open("test://a/x.fbin"); err == nil || errors.Is(err, vectors.ErrRows) {
		t.Errorf("no gateway: %v", err)
	}
}

// TestReadOfFailingStoreIsNotRefused: rows that cannot be fetched later are not refused either.
func TestReadOfFailingStoreIsNotRefused(t *testing.T) {
	objectstest.Start(t)
	file := filepath.Join(t.TempDir(), "x.u8bin")
	data := make([]byte, 8+(8<<20))
	binary.LittleEndian.PutUint32(data, 1<<20)
	binary.LittleEndian.PutUint32(data[4:], 8)
	if err := errors.Join(os.WriteFile(file, data, 0o666), objects.Put("test://a/x.u8bin", file)); err != nil {
		t.Fatal(err)
	}
	in, err := vectors.Open([]string{"test://a/x.u8bin"}, &vectors.OpenOptions{Remote: func(path string) (vectors.Remote, error) { return objects.Open(path, t.TempDir()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	t.Setenv(objects.Variable, "http://127.0.0.1:1")
	if err := vectors.Refused(in.ReadRows(in.Len()-1, make([]byte, 8))); err == nil || errors.Is(err, vectors.ErrRows) {
		t.Errorf("a row that cannot be fetched: is refused: %t; %v", errors.Is(err, vectors.ErrRows), err)
	}
}

package explore

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// hostile is text that would run if it became markup.
const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`

// longID has no space to break it at; leftward is read from right to left.
const (
	longID   = "https://example.org/a/path/of/many/folders/and/a/file/with-a-very-long-name-that-goes-on-and-on-0123456789-0123456789-0123456789.jpg"
	leftward = "שלום (עולם) 12"
)

// graph builds points on a line with ids, of which one is hostile, one long and one read from
// right to left, and opens it.
func graph(t *testing.T, n int) (dir string, g *store.Store) {
	t.Helper()
	values, ids := make([]float32, n), make([]string, n)
	for i := range values {
		values[i], ids[i] = float32(i), "point-"+string(rune('a'+i%26))+strings.Repeat("x", i/26)
	}
	ids[2], ids[3], ids[4] = longID, hostile, leftward
	rows, err := vectors.FromFloat32(values, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	idFile := filepath.Join(dir, "ids")
	write(t, idFile, strings.Join(ids, "\n")+"\n")
	dir = filepath.Join(dir, "line.knng")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: 3, IDs: idFile}); err != nil {
		t.Fatal(err)
	}
	if g, err = store.Open(dir, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return dir, g
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// served makes a prepared server with labels, text and one picture.
func served(t *testing.T) (string, *Server) {
	const n = 60
	dir, g := graph(t, n)
	labels, text, images := filepath.Join(t.TempDir(), "labels"), filepath.Join(t.TempDir(), "text"), t.TempDir()
	write(t, labels, strings.Repeat("even\nodd\n", n/2))
	write(t, text, strings.Repeat("some words\n", n-1)+"a needle\n")
	write(t, filepath.Join(images, "7.png"), "\x89PNG")
	write(t, filepath.Join(images, "8.svg"), "<svg/>")
	s, err := New(dir, g, Options{Labels: labels, Text: text, Images: images})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir, s
}

func ask(s *Server, host, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "http://"+host+path, nil)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// TestAnswers: each address answers as the page expects it.
func TestAnswers(t *testing.T) {
	_, s := served(t)
	for _, c := range []struct {
		host, path string
		code       int
		holds      string
	}{
		{"127.0.0.1:1", "/", 200, "<!doctype html>"},
		{"localhost", "/app.js", 200, "use strict"},
		{"[::1]:80", "/style.css", 200, "prefers"},
		{"evil.example", "/api/info", 403, "this machine"},
		{"10.0.0.1", "/", 403, "this machine"},
		{"localhost", "/api/info", 200, `"classes":["even","odd"]`},
		{"localhost", "/api/row?row=10", 200, `"distance":1`},
		{"localhost", "/api/row?row=60", 404, "want a number below 60"},
		{"localhost", "/api/row?row=-1", 404, "want a number"},
		{"localhost", "/api/search?q=needle", 200, `"row":59`},
		{"localhost", "/api/search?q=point-b", 200, `"row":1,`},
		{"localhost", "/api/search?q=nothing", 200, `"hits":[],"whole":true`},
		{"localhost", "/api/figures", 200, `"map":true`},
		{"localhost", "/api/figures", 200, `"rows":[{"row":`},
		{"localhost", "/api/figures", 200, `"id":"point-`},
		{"localhost", "/image/7", 200, "PNG"},
		{"localhost", "/image/8", 404, ""},
		{"localhost", "/image/9", 404, ""},
		{"localhost", "/image/..%2f..%2fids", 404, ""},
		{"localhost", "/../server.go", 404, ""},
	} {
		w := ask(s, c.host, c.path)
		if c.path == "/../server.go" && w.Code == 307 {
			continue // to the cleaned path, which is not found
		}
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.holds) && c.path != "/style.css" {
			t.Errorf("%s of %s: %d %.200q, want %d with %q", c.path, c.host, w.Code, w.Body.String(), c.code, c.holds)
		}
	}
	if policy := ask(s, "localhost", "/").Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("content security policy %q", policy)
	}
}

// TestMapIsKept: the map is kept, used again, and made again where it is damaged or of
// another graph; the store stays sound beside it.
func TestMapIsKept(t *testing.T) {
	dir, s := served(t)
	path := filepath.Join(dir, "map")
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if p := readMap(s.g); p == nil || len(p.rows) != 60 {
		t.Fatal("the kept map is not read")
	}
	for i := range kept {
		damaged := bytes.Clone(kept)
		damaged[i] ^= 4
		write(t, path, string(damaged))
		if readMap(s.g) != nil {
			t.Errorf("a map with byte %d changed is read", i)
		}
	}
	write(t, path, string(kept[:len(kept)-5]))
	if readMap(s.g) != nil {
		t.Error("a cut map is read")
	}
	if p, err := mapOf(t.Context(), s.g, mapRows, s.tell); err != nil || len(p.rows) != 60 {
		t.Errorf("made again: %v", err)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(again, kept) {
		t.Error("the map made again is another one")
	}
	report, err := store.Check(t.Context(), dir, store.CheckOptions{})
	if err != nil || len(report.Faults) > 0 {
		t.Errorf("check: %v %+v", err, report)
	}
}

// TestSampledMap: where a map shows some rows, all of them stand in it once, and the
// graph between them hangs together as the whole does.
func TestSampledMap(t *testing.T) {
	_, g := graph(t, 200)
	rows, pairs, err := sampled(t.Context(), g, 50)
	if err != nil || len(rows) != 50 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	first, to := edgesOf(50, pairs)
	seen, queue := map[uint32]bool{0: true}, []uint32{0}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, j := range to[first[i]:first[i+1]] {
			if !seen[j] {
				seen[j], queue = true, append(queue, j)
			}
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 sampled rows of a line hang together", len(seen))
	}
}

// TestBadFiles: files of other lengths are named with what was found and expected.
func TestBadFiles(t *testing.T) {
	dir, g := graph(t, 30)
	short := filepath.Join(t.TempDir(), "labels")
	write(t, short, "a\nb\n")
	_, err := New(dir, g, Options{Labels: short})
	if err == nil || !strings.Contains(err.Error(), "2 lines, want one for each of 30 rows") {
		t.Errorf("labels of 2 lines: %v", err)
	}
	if _, err := New(dir, g, Options{Images: filepath.Join(dir, "none")}); err == nil {
		t.Error("a missing folder of pictures is no error")
	}
	if _, err := Listen("0.0.0.0:0"); err == nil {
		t.Error("an address for everybody is listened at")
	}
}

// TestEscaped: a hostile id stays an id in what is sent.
func TestEscaped(t *testing.T) {
	_, s := served(t)
	w := ask(s, "localhost", "/api/row?row=3")
	var answer struct{ Row shownRow }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Row.ID != hostile {
		t.Errorf("%v: id %q", err, answer.Row.ID)
	}
	if strings.Contains(w.Body.String(), "<script>") {
		t.Error("markup is sent as it is")
	}
}

// TestPicturesOfNumericIDs: a picture named by the id of a row is not shown for the row of that number.
func TestPicturesOfNumericIDs(t *testing.T) {
	rows, err := vectors.FromFloat32([]float32{0, 1, 2, 3}, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ids, images, path := filepath.Join(dir, "ids"), filepath.Join(dir, "images"), filepath.Join(dir, "line.knng")
	write(t, ids, "2\n3.png\nb\nc\n")
	if err := os.Mkdir(images, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"0.png", "2.png", "3.png"} {
		write(t, filepath.Join(images, name), name)
	}
	if _, err := builder.Build(t.Context(), path, vectors.NewInput(rows), builder.Options{K: 1, IDs: ids}); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s, err := New(path, g, Options{Images: images})
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range []string{"2.png", "3.png", "", ""} { // 0.png is of row 0, which has one by its id
		w := ask(s, "localhost", "/image/"+string(rune('0'+row)))
		if got := w.Body.String(); want != "" && got != want || want == "" && w.Code != 404 {
			t.Errorf("row %d: %d %q, want the picture %q", row, w.Code, got, want)
		}
		if has := strings.Contains(ask(s, "localhost", "/api/row?row="+string(rune('0'+row))).Body.String(), `"image":true`); !has && want != "" {
			t.Errorf("row %d is said to have no picture", row)
		}
	}
}

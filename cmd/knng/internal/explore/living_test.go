package explore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/store/living"
)

// TestWritten: of a graph that was written to the page has the live rows, counted from 0, with their ids and lists, figures and a map,
// which is not kept.
func TestWritten(t *testing.T) {
	dir, g := graph(t, 60)
	g.Close()
	db, err := living.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *living.Tx) error {
		if err := tx.DeleteRow(0); err != nil {
			return err
		}
		_, err := tx.Put("put later", []float32{10.25})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := db.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	live, err := v.Graph()
	if err != nil {
		t.Fatal(err)
	}
	images := t.TempDir()
	write(t, filepath.Join(images, "9.png"), "of row 9")
	s, err := New(dir, live, Options{Images: images})
	if err == nil {
		err = s.Prepare(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		code  int
		holds string
	}{
		{"/api/info", 200, `"rows":60`},
		{"/api/row?row=9", 200, `"row":59,"id":"put later","in_degree":`}, // at 10, its number was 10
		{"/api/row?row=9", 200, `"distance":0.25`},
		{"/api/row?row=60", 404, "want a number below 60"},
		{"/image/8", 200, "of row 9"}, // it is the ninth that lives
		{"/image/9", 404, ""},
		{"/api/search?q=put+later", 200, `"hits":[{"row":59,"id":"put later"`},
		{"/api/search?q=point-k", 200, `"row":9,"id":"point-k"`},
		{"/api/figures", 200, `"map":true`},
	} {
		w := ask(s, "localhost", c.path)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.holds) {
			t.Errorf("%s: %d %.300q, want %d with %q", c.path, w.Code, w.Body.String(), c.code, c.holds)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "map")); !os.IsNotExist(err) {
		t.Errorf("the map was kept: %v", err)
	}
}

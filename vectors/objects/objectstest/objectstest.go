// Package objectstest is a gateway over a folder of this machine, for tests: addresses
// test://NAME are files in it. See the package objects for the protocol.
package objectstest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/knng/knng/vectors/objects"
)

// A Gateway serves a folder until the test ends.
type Gateway struct {
	Folder   string
	Requests atomic.Int64
	// Fail, where not nil, answers a request with an error if it returns a text.
	Fail func(r *http.Request) string
}

// Start starts a gateway over a new folder and sets the variable that names it.
func Start(t testing.TB) *Gateway {
	g := &Gateway{Folder: t.TempDir()}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	if test, ok := t.(*testing.T); ok {
		test.Setenv(objects.Variable, server.URL+"/token")
	}
	return g
}

// Path is the file of an address.
func (g *Gateway) Path(at string) string {
	_, name, _ := strings.Cut(at, "://")
	return filepath.Join(g.Folder, filepath.FromSlash(name))
}

func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.Requests.Add(1)
	if g.Fail != nil {
		if why := g.Fail(r); why != "" {
			http.Error(w, why, http.StatusBadGateway)
			return
		}
	}
	if err := g.serve(w, r); os.IsNotExist(err) {
		w.WriteHeader(http.StatusNotFound)
	} else if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) error {
	path := g.Path(r.FormValue("at"))
	if strings.HasSuffix(r.URL.Path, "/list") {
		return list(w, path)
	}
	switch r.Method {
	case http.MethodPost:
		return store(r.FormValue("from"), path)
	case http.MethodDelete:
		return os.RemoveAll(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if strings.HasSuffix(r.URL.Path, "/size") {
		_, err := fmt.Fprint(w, info.Size())
		return err
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}

func list(w io.Writer, path string) error {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if !e.IsDir() {
			io.WriteString(w, e.Name()+"\n")
		}
	}
	return err
}

func store(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

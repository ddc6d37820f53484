package explore

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/knng/knng/cmd/knng/internal/number"
	"github.com/knng/knng/store"
)

//go:embed page
var page embed.FS

// Options name the files that the page shows beside the graph.
type Options struct {
	Labels string // file of a line for each row: classes, by which the map is colored
	Text   string // file of a line for each row
	Images string // folder of pictures named by id or row
}

// Server answers the page's requests. It reads the store and changes nothing in it but
// the map beside it.
type Server struct {
	dir    string
	g      Graph
	labels []string
	text   []string
	class  []uint8
	names  []string
	others int // labels without a color of their own
	images *images

	mu      sync.Mutex
	figures *Figures
	degrees []uint32
	points  *points
	share   float64 // of the map, while it is made
	failure string  // why there are no figures or no map
}

// maxClasses is how many colors there are for labels.
const maxClasses = 20

// New makes a server of an open graph at dir, which stays the caller's.
func New(dir string, g Graph, opts Options) (s *Server, err error) {
	s = &Server{dir: dir, g: g}
	if opts.Labels != "" {
		if s.labels, err = readLines(opts.Labels, g.Len()); err != nil {
			return nil, fmt.Errorf("labels: %w", err)
		}
		s.class, s.names, s.others = classes(s.labels, maxClasses)
	}
	if opts.Text != "" {
		if s.text, err = readLines(opts.Text, g.Len()); err != nil {
			return nil, fmt.Errorf("text: %w", err)
		}
	}
	if opts.Images != "" {
		if s.images, err = openImages(opts.Images); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Prepare computes figures and the map; the page shows each when it is there.
func (s *Server) Prepare(ctx context.Context) error {
	f, degrees, err := Measure(ctx, s.g)
	if err == nil {
		s.mu.Lock()
		s.figures, s.degrees = f, degrees
		s.mu.Unlock()
		var p *points
		if p, err = mapOf(ctx, s.g, mapRows, s.tell); err == nil {
			s.mu.Lock()
			s.points = p
			s.mu.Unlock()
			return nil
		}
	}
	s.mu.Lock()
	s.failure = err.Error()
	s.mu.Unlock()
	return err
}

// tell keeps how far the map is, for the page.
func (s *Server) tell(share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.share = share
}

// Handler serves the page.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, file := range map[string]string{"/{$}": "index.html", "/app.js": "app.js", "/map.js": "map.js", "/style.css": "style.css"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, page, "page/"+file) })
	}
	mux.HandleFunc("GET /api/info", s.info)
	mux.HandleFunc("GET /api/row", s.row)
	mux.HandleFunc("GET /api/search", s.search)
	mux.HandleFunc("GET /api/figures", s.showFigures)
	mux.HandleFunc("GET /api/map", s.showMap)
	mux.HandleFunc("GET /image/{row}", s.image)
	return guarded(mux)
}

// guarded answers requests that name this machine, so that a page of somewhere else,
// under a name of its own that leads here, reads nothing. It forbids the browser to load
// anything from elsewhere.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this page is for this machine only", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v) // the reader is gone: nobody to tell
}

// info describes the graph.
func (s *Server) info(w http.ResponseWriter, _ *http.Request) {
	info := s.g.Info()
	var result struct {
		Recall struct {
			Recall, Low, High float64
			Sample            int
		} `json:"recall_estimate"`
		Method string
	}
	_ = json.Unmarshal(info.Result, &result) // a graph without a report has none to show
	answer(w, map[string]any{
		"name": filepath.Base(s.dir), "rows": s.g.Len(), "dim": info.Manifest.Dim, "k": s.g.K(), "metric": info.Distance,
		"type": info.Manifest.Type, "checksum": info.Checksum, "method": result.Method, "recall": result.Recall.Recall,
		"low": result.Recall.Low, "high": result.Recall.High, "sample": result.Recall.Sample,
		"ids": info.IDs, "text": s.text != nil, "labels": s.labels != nil, "images": s.images != nil, "classes": s.names, "others": s.others,
	})
}

// A shownRow is a row as the page shows it.
type shownRow struct {
	Row      uint64          `json:"row"`
	ID       string          `json:"id,omitempty"`
	Label    string          `json:"label,omitempty"`
	Text     string          `json:"text,omitempty"`
	Image    bool            `json:"image,omitempty"`
	InDegree *uint32         `json:"in_degree,omitempty"`
	Distance *number.Float32 `json:"distance,omitempty"`
}

func (s *Server) shown(row store.Row) shownRow {
	r := shownRow{Row: uint64(row)}
	if s.g.Info().IDs {
		r.ID, _ = s.g.ID(row) // a row that was dropped has none
	}
	if s.labels != nil {
		r.Label = s.labels[row]
	}
	if s.text != nil {
		r.Text = s.text[row]
	}
	r.Image = s.images != nil && s.picture(r.ID, row) != ""
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.degrees != nil {
		r.InDegree = &s.degrees[row]
	}
	return r
}

// picture is the file of a row. In a graph that was written to rows are counted without those that are gone, and pictures
// are named by the numbers from before.
func (s *Server) picture(id string, row store.Row) string {
	if g, ok := s.g.(interface{ Number(store.Row) store.Row }); ok {
		row = g.Number(row)
	}
	return s.images.find(id, uint64(row), s.isID)
}

// isID reports whether a row has this id.
func (s *Server) isID(name string) bool {
	if !s.g.Info().IDs {
		return false
	}
	_, err := s.g.RowOf(name)
	return err == nil
}

// rowOf reads the number of a row from a request.
func (s *Server) rowOf(w http.ResponseWriter, number string) (store.Row, bool) {
	row, err := strconv.ParseUint(number, 10, 64)
	if err != nil || row >= uint64(s.g.Len()) {
		http.Error(w, fmt.Sprintf("row %q, want a number below %d", number, s.g.Len()), http.StatusNotFound)
		return 0, false
	}
	return store.Row(row), true
}

// row sends a row with its neighbors.
func (s *Server) row(w http.ResponseWriter, r *http.Request) {
	row, ok := s.rowOf(w, r.FormValue("row"))
	if !ok {
		return
	}
	list, err := s.g.Neighbors(row, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	neighbors := []shownRow{}
	for _, n := range list {
		other := s.shown(n.Row)
		distance := number.Float32(n.Distance)
		other.Distance = &distance
		neighbors = append(neighbors, other)
	}
	answer(w, map[string]any{"row": s.shown(row), "neighbors": neighbors})
}

func (s *Server) showFigures(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	f, drawn, share, failure := s.figures, s.points != nil, s.share, s.failure
	s.mu.Unlock()
	rows := []shownRow{}
	for _, row := range f.rows() {
		rows = append(rows, s.shown(store.Row(row)))
	}
	answer(w, map[string]any{"figures": f, "rows": rows, "map": drawn, "share": share, "failure": failure})
}

// showMap sends u32 n, u32 rows, u16 x, u16 y, and a byte of class for each point.
func (s *Server) showMap(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	p := s.points
	s.mu.Unlock()
	if p == nil {
		http.Error(w, "the map is being made", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	b := p.bytes("")[len(mapMagic):]
	for _, row := range p.rows {
		c := uint8(0)
		if s.class != nil {
			c = s.class[row]
		}
		b = append(b, c)
	}
	_, _ = w.Write(b)
}

// image sends the picture of a row.
func (s *Server) image(w http.ResponseWriter, r *http.Request) {
	row, ok := s.rowOf(w, r.PathValue("row"))
	if !ok || s.images == nil {
		return
	}
	id := ""
	if s.g.Info().IDs {
		id, _ = s.g.ID(row)
	}
	s.images.serve(w, r, s.picture(id, row))
}

// Serve answers requests until ctx ends.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{Handler: s.Handler(), BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Listen listens at a loopback address; others are refused.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w, want one such as 127.0.0.1:8080", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%q is not an address that only this machine reaches, want 127.0.0.1, [::1] or localhost", address)
	}
	return net.Listen("tcp", address)
}

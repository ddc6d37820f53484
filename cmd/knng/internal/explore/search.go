package explore

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/knng/knng/store"
)

// Bounds of a search: hits that are sent, and how long it may look for more.
const (
	maxHits    = 50
	searchTime = time.Second
)

// search finds rows by number, by id, and by a part of a label, text or id.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	query := strings.TrimSpace(r.FormValue("q"))
	hits, whole := s.find(r, query)
	answer(w, map[string]any{"hits": hits, "whole": whole})
}

// find returns hits, the exact ones first, and whether it looked at all rows.
func (s *Server) find(r *http.Request, query string) (hits []shownRow, whole bool) {
	hits = []shownRow{}
	seen := make(map[store.Row]bool)
	add := func(row store.Row) bool {
		if !seen[row] {
			seen[row], hits = true, append(hits, s.shown(row))
		}
		return len(hits) < maxHits
	}
	if query == "" {
		return hits, true
	}
	if row, err := s.g.RowOf(query); err == nil {
		add(row)
	}
	if row, err := strconv.ParseUint(query, 10, 64); err == nil && row < uint64(s.g.Len()) {
		add(store.Row(row))
	}
	needle, end := strings.ToLower(query), time.Now().Add(searchTime)
	for row := range store.Row(s.g.Len()) {
		if row%256 == 255 && (r.Context().Err() != nil || time.Now().After(end)) {
			return hits, false
		}
		if s.contains(row, needle) && !add(row) {
			return hits, false
		}
	}
	return hits, true
}

// contains reports whether a row's label, text or id has the needle in it.
func (s *Server) contains(row store.Row, needle string) bool {
	has := func(lines []string) bool {
		return lines != nil && strings.Contains(strings.ToLower(lines[row]), needle)
	}
	if has(s.labels) || has(s.text) {
		return true
	}
	if !s.g.Info().IDs {
		return false
	}
	id, err := s.g.ID(row)
	return err == nil && strings.Contains(strings.ToLower(id), needle)
}

package plan

import "math"

// SearchFiles are what searches keep beside the store: disk that a build's own peak does not count.
type SearchFiles struct {
	LinksBytes   int64 `json:"links_bytes"`   // search/links, which a build makes at its end or the first search
	ScratchBytes int64 `json:"scratch_bytes"` // in a scratch file while links are made
	RowsBytes    int64 `json:"rows_bytes"`    // search/rows, which a search keeps that has no memory for rows and links; 0 where it keeps none
	HeldBytes    int64 `json:"held_bytes"`    // of rows and links: a search of less memory keeps search/rows
	RowsAtOnce   bool  `json:"rows_at_once"`  // search/rows is made with the links: this machine has no memory for rows and links
}

// Of files of search (package store/search): their headers, an arc in the scratch file, and the rows from which on
// there is a copy.
const (
	headerBytes = 4096
	spilledArc  = 9
	copiedFrom  = 257
)

// searchedBy is the files of searches of a graph.
func searchedBy(s *Shape) *SearchFiles {
	n := float64(s.Rows + s.Copies)
	listed := math.Min(math.Max(0, float64(s.K)), linksListed)
	links := headerBytes + 8*listed*n
	if s.Norms {
		links += 8 * n
	}
	held := links + s.rowBytes()
	f := &SearchFiles{LinksBytes: int64(links), HeldBytes: int64(held)}
	arcs := spilledArc * listed * n
	if s.Came && n >= copiedFrom {
		f.RowsBytes = int64(headerBytes + s.rowBytes() + 4*n)
		if f.RowsAtOnce = s.SearchMemory > 0 && held > float64(s.SearchMemory); f.RowsAtOnce {
			arcs *= 2
		}
	}
	if arcsSpill(s) {
		f.ScratchBytes = int64(arcs)
	}
	return f
}

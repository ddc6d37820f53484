package plan

import "math"

// SearchFiles are the files that searches keep beside the store. The peak of a build does not count them.
type SearchFiles struct {
	LinksBytes   int64 `json:"links_bytes"`   // search/links, which a build makes at its end or the first search
	ScratchBytes int64 `json:"scratch_bytes"` // in a scratch file while links are made
	RowsBytes    int64 `json:"rows_bytes"`    // search/rows, a copy that a search makes if rows and links exceed its memory; 0: it makes none
	HeldBytes    int64 `json:"held_bytes"`    // memory of rows and links: a search with less makes search/rows
	RowsAtOnce   bool  `json:"rows_at_once"`  // search/rows is made with the links, since this machine has less memory than that
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

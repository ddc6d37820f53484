package main

import "testing"

// TestWithoutPackages: names of packages go, those of the command line stay.
func TestWithoutPackages(t *testing.T) {
	for message, want := range map[string]string{
		"store: no space":                       "no space",
		"builder: store: no space":              "no space",
		"vectors: the name has no extension":    "vectors: the name has no extension",
		"open it: search: store: corrupt":       "open it: search: corrupt",
		"store: search: line 3":                 "search: line 3",
		"vectors: vectors: row 3":               "vectors: row 3",
		"/data/store: store: not finished":      "/data/store: not finished",
		"what restore: does stays":              "what restore: does stays",
		"builder: vectors: store: living: busy": "vectors: busy",
		"builder: task solve 1 0: pieces: d01/spill/00000-of-00004 is damaged: codes: no": "task solve 1 0: d01/spill/00000-of-00004 is damaged: no",
	} {
		if got := withoutPackages(message, []string{"build", "vectors", "-o", "g", "--filter-ids=search"}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

package living_test

import (
	"os"
	"strconv"
	"strings"
)

// writeIDs gives the first rows of a history ids.
func (h *history) writeIDs(path string, n int) {
	var text strings.Builder
	for i := range n {
		id := "name " + strconv.Itoa(i)
		if i%3 == 0 {
			id = strconv.Itoa(i)
		}
		text.WriteString(id + "\n")
		e := h.m.rows[uint64(i)]
		h.m.rows[uint64(i)] = entry{id, e.vector}
		h.m.ids[id] = uint64(i)
	}
	h.must(os.WriteFile(path, []byte(text.String()), 0o666))
}

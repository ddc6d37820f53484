package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/knng/knng/store/search"
)

// TestTellIslands: searches by codes find the rows of islands without leaders, so nothing is told of these.
func TestTellIslands(t *testing.T) {
	for _, state := range []search.State{{Islands: 9}, {Islands: 9, Unled: true}, {Islands: 9, Unled: true, Codes: 8}} {
		var out bytes.Buffer
		g := &globals{progress: "plain", stderr: &out}
		g.tellIslands(state)
		want := state.Unled && state.Codes == 0
		if told := strings.Contains(out.String(), "more than 9 islands"); told != want {
			t.Errorf("%+v: %q", state, out.String())
		}
	}
}

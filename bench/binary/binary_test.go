package binary_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/knng/knng/bench/binary"
)

// TestNoGo: without a go command nothing is left behind.
func TestNoGo(t *testing.T) {
	t.Setenv("PATH", "")
	scratch := t.TempDir()
	_, clean, err := binary.Knng(t.Context(), "", scratch)
	if err == nil {
		t.Error("built without a go command")
	}
	clean()
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func ExampleKnng() {
	path, clean, err := binary.Knng(context.Background(), "/usr/local/bin/knng", "")
	defer clean()
	fmt.Println(path, err)
	// Output: /usr/local/bin/knng <nil>
}

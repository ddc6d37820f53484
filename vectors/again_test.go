package vectors

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/iotest"

	"github.com/cespare/xxhash/v2"
)

// TestAgain: every stream but the same one, and one that is empty, is another; behind rows
// that were cut off anything may stand.
func TestAgain(t *testing.T) {
	data := []byte("rows of a stream")
	f := File{Path: "-", Size: int64(len(data)), Sample: xxhash.Sum64(data)}
	again := func(f File, data []byte) (bool, error) {
		return f.Again(context.Background(), iotest.OneByteReader(bytes.NewReader(data)))
	}
	if empty, err := again(f, data); empty || err != nil {
		t.Errorf("the same: %v %v", empty, err)
	}
	if empty, err := again(f, nil); !empty || err != nil {
		t.Errorf("nothing: %v %v", empty, err)
	}
	for i := range data {
		other := bytes.Clone(data)
		other[i] ^= 1
		if _, err := again(f, other); err == nil {
			t.Errorf("byte %d differs, and nothing is said", i)
		}
		if _, err := again(f, data[:i]); i > 0 && err == nil {
			t.Errorf("%d bytes of %d, and nothing is said", i, len(data))
		}
	}
	longer := append(bytes.Clone(data), 'x')
	if _, err := again(f, longer); err == nil {
		t.Error("a byte more, and nothing is said")
	}
	f.Cut = true
	if _, err := again(f, longer); err != nil {
		t.Errorf("behind the cut: %v", err)
	}
	broken := errors.New("broken")
	if _, err := f.Again(context.Background(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

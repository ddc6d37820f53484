package search

import (
	"bytes"
	"errors"
	"testing"

	"github.com/knng/knng/store"
)

// TestRawAll: rows copied together are those copied one by one.
func TestRawAll(t *testing.T) {
	s := line(t, 100)
	rows := []uint32{99, 0, 17, 17, 3}
	all, one := make([]byte, 8*len(rows)), make([]byte, 8)
	if whole, err := s.RawAll(rows, all); err != nil || !whole {
		t.Fatal(whole, err)
	}
	for i, row := range rows {
		if _, err := s.Raw(store.Row(row), one); err != nil || !bytes.Equal(one, all[8*i:8*i+8]) {
			t.Errorf("row %d is %v and %v, %v", row, one, all[8*i:8*i+8], err)
		}
	}
	if _, err := s.RawAll([]uint32{5, 100}, all); !errors.Is(err, store.ErrNoRow) {
		t.Error(err)
	}
}

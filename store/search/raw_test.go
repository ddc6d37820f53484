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
	if whole, err := s.RawAll([]uint32{5, 100}, all[:16]); whole || !errors.Is(err, store.ErrNoRow) {
		t.Error(whole, err)
	}
	for _, size := range []int{0, 7, 9, 16} {
		dst := make([]byte, size)
		if whole, err := s.Raw(5, dst); whole || !errors.Is(err, ErrQuery) {
			t.Errorf("a row to %d bytes: %v, %v", size, whole, err)
		}
		if whole, err := s.RawAll([]uint32{5, 6, 7}, dst); whole || !errors.Is(err, ErrQuery) {
			t.Errorf("three rows to %d bytes: %v, %v", size, whole, err)
		}
	}
}

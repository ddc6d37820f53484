package store

import (
	"errors"
	"path/filepath"
	"testing"
)

// TestRecordOfAnotherType: a record that does not fit the caller's value is no damage, for which a program
// would restore a copy; one that is no JSON is.
func TestRecordOfAnotherType(t *testing.T) {
	dir := finished(t, 20, false)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	d := open(t, filepath.Join(t.TempDir(), "d"), tiny(20))
	defer d.Close()
	for _, v := range []any{new(int), nil, 7} {
		ok, err := s.Record("manifest", v)
		for i, err := range []error{err, second(d.Load("manifest", v)), ReadResult(dir, v)} {
			if err == nil || errors.Is(err, ErrCorrupt) || ok {
				t.Errorf("%T, %d: %v", v, i, err)
			}
		}
	}
	must(t, d.engine.set(recordKey("mine"), []byte(`{"a":`)))
	for _, v := range []any{new(int), new(any), nil} {
		if ok, err := d.Load("mine", v); ok || !errors.Is(err, ErrCorrupt) {
			t.Errorf("no JSON into %T: %v, %v", v, ok, err)
		}
	}
}

func second(_ bool, err error) error { return err }

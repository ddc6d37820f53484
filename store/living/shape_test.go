package living_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestShapes: a store is made of every shape that has distances, and takes rows and a compaction; one
// of any other is refused before anything is written, so that the next call may ask for another.
func TestShapes(t *testing.T) {
	good := living.Shape{Dim: 4, K: 3}
	shapes := []living.Shape{{}, {Dim: vectors.MaxDim + 1}, {Dim: -1}, {Dim: 4, K: -1}, {Dim: 4, K: 1<<12 + 1}, {Dim: 4, Metric: 77}}
	for typ := vectors.Uint8; typ < 12; typ++ {
		for _, metric := range distance.All() {
			shapes = append(shapes, living.Shape{Dim: 4, Type: typ, Metric: metric, K: 3})
		}
	}
	for _, shape := range shapes {
		t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "g")
			db, err := living.Open(dir, &living.Options{Create: &shape})
			if err == nil {
				must(t, db.Update(func(tx *living.Tx) error {
					for i := range 9 {
						if _, err := tx.Put("", []float32{float32(i), 2, 7, 1}); err != nil {
							return err
						}
					}
					return nil
				}))
				must(t, rebuild.Compact(t.Context(), db, rebuild.Options{Threads: 1}))
				must(t, db.Close())
				return
			}
			if _, err := os.Lstat(filepath.Join(dir, "living", "CURRENT")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("refused: %v, and CURRENT is there", err)
			}
			db, err = living.Open(dir, &living.Options{Create: &good})
			if err != nil {
				t.Fatalf("after a shape that was refused: %v", err)
			}
			must(t, db.Close())
		})
	}
}

// TestRefusedShape: a shape that no store has leaves no folder, and a store that is there is not opened by another shape.
func TestRefusedShape(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	for _, shape := range []living.Shape{{}, {Dim: -1}, {Dim: 2, K: -1}, {Dim: 2, Type: 9}, {Dim: 2, Metric: 99}} {
		db, err := living.Open(dir, &living.Options{Create: &shape})
		if err == nil {
			t.Errorf("opened with %+v", shape)
			must(t, db.Close())
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%+v left a folder: %v", shape, err)
		}
	}
	for _, c := range []struct {
		shape living.Shape
		want  error
	}{
		{living.Shape{Dim: 2}, nil},
		{living.Shape{Dim: 2}, nil},
		{living.Shape{Dim: 7}, living.ErrShape},
		{living.Shape{Dim: 2, Metric: distance.Cosine}, living.ErrShape},
		{living.Shape{Dim: 2, Type: vectors.Uint8}, living.ErrShape},
	} {
		db, err := living.Open(dir, &living.Options{Create: &c.shape})
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.shape, err, c.want)
		}
		if err == nil {
			must(t, db.Close())
		}
	}
}

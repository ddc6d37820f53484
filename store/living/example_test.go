package living_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/living"
)

// A service: it opens a store, puts and deletes rows, and answers from a snapshot that it swaps
// for a newer one.
func Example() {
	dir, err := os.MkdirTemp("", "living")
	check(err)
	defer os.RemoveAll(dir)
	db, err := living.Open(filepath.Join(dir, "photos.knng"), &living.Options{Create: &living.Shape{Dim: 2, K: 2}})
	check(err)
	defer db.Close()
	check(db.Update(func(tx *living.Tx) error { // durable when it returns, all or nothing
		for i, id := range []string{"cat.jpg", "dog.jpg", "eel.jpg", living.Int(42)} {
			if _, err := tx.Put(id, []float32{float32(i), 1}); err != nil {
				return err
			}
		}
		return tx.Delete("dog.jpg")
	}))
	view, err := db.View() // a snapshot; OpenReader is for other processes
	check(err)
	show(view)
	check(rebuild.Compact(context.Background(), db, rebuild.Options{})) // readers and writers go on
	check(db.Update(func(tx *living.Tx) error { return tx.Delete("cat.jpg") }))
	next, err := view.Refresh()
	check(err)
	check(view.Close())
	show(next)
	check(next.Close())
	// Output:
	// 3 rows: cat.jpg eel.jpg
	// 2 rows: eel.jpg 42
}

func show(view *living.View) {
	hits, err := view.Search([]float32{0, 1}, living.Query{K: 2})
	check(err)
	fmt.Print(view.Len(), " rows:")
	for _, hit := range hits {
		id, err := view.ID(hit.Row)
		check(err)
		fmt.Print(" ", id)
	}
	fmt.Println()
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

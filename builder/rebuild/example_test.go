package rebuild_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/living"
)

func Example() {
	dir, err := os.MkdirTemp("", "rebuild")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := living.Open(filepath.Join(dir, "g"), &living.Options{Create: &living.Shape{Dim: 1, K: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	err = db.Update(func(tx *living.Tx) error {
		for i := range 100 {
			if _, err := tx.Put(living.Int(int64(i)), []float32{float32(i)}); err != nil {
				return err
			}
		}
		return tx.Delete("50")
	})
	if err == nil {
		err = rebuild.Compact(context.Background(), db, rebuild.Options{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := db.View()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer view.Close()
	list, err := view.Neighbors(51, nil)
	fmt.Println(view.Len(), "rows,", view.State().Pending, "pending; nearest to 51:", list[0], err)
	// Output: 99 rows, 0 pending; nearest to 51: {52 1} <nil>
}

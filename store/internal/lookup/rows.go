package lookup

import (
	"encoding/json"
	"fmt"

	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// MovedPath is the file of a store that notes where its referenced vectors lie now: the
// sealed manifest keeps the path that they had.
const MovedPath = "scratch/moved"

// maxPath bounds the bytes of that file.
const maxPath = 1 << 16

// CopiedRows maps the rows that a store keeps itself. They are in the order of their places.
func CopiedRows(home *sealed.Dir, identities []sealed.Identity) (*vectors.Input, error) {
	if err := home.CheckIdentities(identities, sealed.IsRows); err != nil {
		return nil, err
	}
	f, err := home.Open(sealed.RowsPath)
	if err != nil {
		return nil, storeerr.Damage(err)
	}
	defer f.Close()
	rows, err := vectors.OpenedRows(f, home.Path(sealed.RowsPath))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storeerr.ErrCorrupt, err)
	}
	return vectors.NewInput(rows), nil
}

// ReferencedRows maps the file that a store references, if it is unchanged. It unpacks
// nothing: a store from a stranger may name any file.
func ReferencedRows(home *sealed.Dir, files []vectors.File) (*vectors.Input, error) {
	if len(files) != 1 || vectors.Streamed(files[0].Path) {
		return nil, fmt.Errorf("%w: the referenced vectors: %d files, want one that can be mapped where it lies", storeerr.ErrCorrupt, len(files))
	}
	f, err := unmoved(home, files[0])
	if err != nil {
		return nil, err
	}
	if vectors.Streamed(f.Path) {
		return nil, fmt.Errorf("store: the referenced vectors: %s cannot be mapped where it lies", f.Path)
	}
	return vectors.Open([]string{f.Path}, &vectors.OpenOptions{Limit: files[0].Rows})
}

// unmoved returns a referenced file under its own path, or under the path noted since.
func unmoved(home *sealed.Dir, f vectors.File) (vectors.File, error) {
	err := f.Check()
	if err == nil {
		return f, nil
	}
	text, noteErr := home.Dir.ReadFile(MovedPath, maxPath)
	moved := f
	if noteErr == nil && json.Unmarshal(text, &moved.Path) == nil && moved.Check() == nil {
		return moved, nil
	}
	return f, fmt.Errorf("store: the referenced vectors: %w (where the file has moved, the build's command with its new name says so)", err)
}

package builder

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Files of the builder in the scratch folder.
const (
	inputRows = "input-rows" // the good rows in input order, where they cannot be mapped
	pairFiles = "pairs"      // a user's distances
)

// onDisk is what the build takes on disk now, beyond its source: the store, what it
// keeps in the scratch folder, with and without a name, and rows received from streams.
// It is safe for concurrent use.
func (j *job) onDisk() int64 {
	bytes, _ := j.draft.DiskBytes() // what cannot be told counts nothing
	bytes += scratchBytes(j.scratch) + j.received.Load() + j.ledger.Disk()
	if spill := j.spill.Load(); spill != nil {
		bytes += (*spill).Bytes()
	}
	return bytes
}

// scratchBytes is the size of the builder's files in a scratch folder, which may hold
// those of others.
func scratchBytes(dir string) (sum int64) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		rel, _ := filepath.Rel(dir, path)
		own := strings.HasPrefix(rel, inputRows) || strings.HasPrefix(rel, pairFiles)
		switch info, err := d.Info(); {
		case d.IsDir() && path != dir && !own:
			return fs.SkipDir
		case err == nil && own && !d.IsDir():
			sum += info.Size()
		}
		return nil
	})
	return sum
}

package job

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Files of the builder in the scratch folder.
const (
	InputRows  = "input-rows" // the good rows in input order, where they cannot be mapped
	PairFiles  = "pairs"      // a user's distances
	LeavesFile = "leaves"     // of every row in the division under way
)

// onDisk returns the bytes of the build on disk now, without its source: the store, its
// files in the scratch folder, named and unnamed, and rows received from streams. It is
// safe for concurrent use.
func (j *Job) onDisk() int64 {
	bytes, _ := j.Draft.DiskBytes() // an unknown size counts as 0
	bytes += scratchBytes(j.Scratch) + j.Received.Load() + j.Ledger.Disk()
	if spill := j.spill.Load(); spill != nil {
		bytes += (*spill).Bytes()
	}
	return bytes
}

// scratchBytes returns the size of the builder's files in a scratch folder, which may hold other files.
func scratchBytes(dir string) (sum int64) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		rel, _ := filepath.Rel(dir, path)
		own := strings.HasPrefix(rel, InputRows) || strings.HasPrefix(rel, PairFiles) || rel == LeavesFile
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

package shards

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// format counts versions of tasks and of their files.
const format = 3

// runSpec names a run: all its files follow from it and from the input.
type runSpec struct {
	Format   int            `json:"format"`
	Version  string         `json:"version"`
	Manifest store.Manifest `json:"manifest"`
	Scale    int            `json:"scale"` // exponent of two by which rows are multiplied

	Metric    string  `json:"metric"`
	Recall    float64 `json:"recall"`
	Divisions int     `json:"divisions"`
	Seed      uint64  `json:"seed"`
	BadRows   string  `json:"bad_rows"`
	IDs       string  `json:"ids"`

	ShardRows int `json:"shard_rows"` // input rows of a shard
	Range     int `json:"range"`      // places whose lists are folded by one task
	Solvers   int `json:"solvers"`    // most tasks that solve the groups of a division
}

const specName = "spec.json"

// identity is 16 letters that stand for all that names the files of a run. Times of input
// files do not count; samples of their bytes do.
func (s runSpec) identity() string {
	files := make([]vectors.File, len(s.Manifest.Files))
	copy(files, s.Manifest.Files)
	for i := range files {
		files[i].ModTime = 0
	}
	s.Manifest.Files = files
	data, _ := json.Marshal(s) // of plain values: no error
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// shards is how many shards the input has.
func (s *runSpec) shards() int { return (s.Manifest.Rows + s.ShardRows - 1) / s.ShardRows }

// shardRows are the input rows of a shard.
func (s *runSpec) shardRows(shard int) (from, to int) {
	from = shard * s.ShardRows
	return from, min(from+s.ShardRows, s.Manifest.Rows)
}

// record writes the spec of a run below folder, or finds the same there, and returns the folder
// of the run.
func (s runSpec) record(folder string) (string, error) {
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return "", fmt.Errorf("builder: %w", err)
	}
	at := pieces.At(folder)
	run := pieces.Join(folder, s.identity())
	name := path.Join(s.identity(), specName)
	known, err := readAll(at, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return run, write(at, name, data)
	case err != nil:
		return "", err
	case !bytes.Equal(known, data): // the same, but for times of files
		var before runSpec
		if json.Unmarshal(known, &before) != nil || before.identity() != s.identity() {
			return "", fmt.Errorf("builder: %s: %s is damaged: remove it and give the command again", folder, name)
		}
	}
	return run, nil
}

func write(folder pieces.Folder, name string, data []byte) error {
	f, err := folder.Create(name)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.WriteAt(data, 0); err != nil {
		return fmt.Errorf("builder: %s: %w", name, err)
	}
	return f.Commit()
}

func readAll(folder pieces.Folder, name string) ([]byte, error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, f.Size())
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("builder: %s: %w", name, err)
	}
	return data, nil
}

// Package sealed opens the directory of a finished store as its seal lists it, without
// Pebble. The comment of package store describes the seal.
package sealed

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/storeerr"
)

// Names in the directory of a store.
const (
	SealName  = "SEAL"
	GraphName = "graph"
	RowsPath  = "vectors/rows"
)

// A File is a line of the seal: one file of a finished store.
type File struct {
	Path   string `json:"path"` // relative, slash-separated
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const header = "knng seal 1"

// maxSeal bounds the bytes of a seal: 25 TB of tables need less.
const maxSeal = 16 << 20

// Text returns the seal of files.
func Text(files []File) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, header)
	for _, f := range files {
		fmt.Fprintf(&b, "%s %d %s\n", f.SHA256, f.Size, f.Path)
	}
	sum := sha256.Sum256(b.Bytes())
	fmt.Fprintf(&b, "seal %x\n", sum)
	return b.Bytes()
}

// Read reads and checks the seal in a directory. sum is the SHA-256 of its text.
func Read(home *rooted.Dir) (files []File, sum [sha256.Size]byte, err error) {
	text, err := home.ReadFile(SealName, maxSeal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, sum, fmt.Errorf("%w: not sealed: %v", storeerr.ErrCorrupt, err)
	}
	if err != nil {
		return nil, sum, storeerr.Damage(err)
	}
	if files, err = Parse(text); err != nil {
		return nil, sum, fmt.Errorf("%w: %s: %w", storeerr.ErrCorrupt, home.Path(SealName), err)
	}
	return files, sha256.Sum256(text), nil
}

// Parse is the inverse of Text.
func Parse(text []byte) ([]File, error) {
	at := bytes.LastIndex(text, []byte("\nseal "))
	if at < 0 {
		return nil, errors.New("no closing line")
	}
	sum := sha256.Sum256(text[:at+1])
	if want := fmt.Sprintf("seal %x\n", sum); string(text[at+1:]) != want {
		return nil, errors.New("its own checksum does not match")
	}
	lines := bufio.NewScanner(bytes.NewReader(text[:at+1]))
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() || lines.Text() != header {
		return nil, fmt.Errorf("begins with %q, want %q", lines.Text(), header)
	}
	var files []File
	for lines.Scan() {
		f, err := parseLine(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		files = append(files, f)
	}
	return files, lines.Err()
}

func parseLine(line string) (File, error) {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) != 3 {
		return File{}, fmt.Errorf("%d words, want a hash, a size and a path", len(parts))
	}
	size, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return File{}, err
	}
	if size < 0 || !filepath.IsLocal(filepath.FromSlash(parts[2])) {
		return File{}, fmt.Errorf("%d bytes, or no file of the store", size)
	}
	return File{parts[2], size, parts[0]}, nil
}

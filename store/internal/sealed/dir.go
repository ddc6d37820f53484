package sealed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// An Opener opens files below a directory by their slash-separated paths.
type Opener interface {
	Open(rel string) (*os.File, error)
	Path(rel string) string // for messages
}

// Map maps a file.
func Map(dir Opener, rel string) (*vectors.MappedFile, error) {
	f, err := dir.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return vectors.MapOpened(f, dir.Path(rel))
}

// A Dir is a sealed directory: that of a store, or that of its in-neighbors. Its Open
// opens the sealed files and no others. It compares the size of every sealed file, and the
// SHA-256 of small ones in graph/; it recognizes large ones by their identities. A file that
// is replaced afterwards is an error.
type Dir struct {
	*rooted.Dir // opens files that are not sealed
	Files       []File
	Sum         [sha256.Size]byte // SHA-256 of the seal

	infos map[string]fs.FileInfo
}

// HashedBytes is the largest size of a file in graph/ whose SHA-256 Open compares, which
// takes a millisecond. Manifest, logs and the table of records are smaller.
const HashedBytes = 1 << 20

// Open reads the seal of a directory and looks at every file that it lists. It takes home
// over, and closes it if it fails.
func Open(home *rooted.Dir) (d *Dir, err error) {
	d = &Dir{Dir: home, infos: map[string]fs.FileInfo{}}
	if d.Files, d.Sum, err = Read(home); err == nil {
		for _, f := range d.Files {
			if err = d.look(f); err != nil {
				break
			}
		}
	}
	if err != nil {
		home.Close()
		return nil, err
	}
	return d, nil
}

// missing says that a sealed file is, where an error is of that: the store is damaged, and not absent, which
// fs.ErrNotExist would say to a program that builds one where none is.
func missing(err error) error {
	if Missing(err) {
		return fmt.Errorf("%w: sealed file is missing: %v", storeerr.ErrCorrupt, err)
	}
	return err
}

// look compares a file with its line in the seal.
func (d *Dir) look(f File) error {
	info, err := d.Dir.Lstat(f.Path)
	if err != nil {
		return missing(storeerr.Damage(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is no regular file", storeerr.ErrCorrupt, d.Path(f.Path))
	}
	if info.Size() != f.Size {
		return fmt.Errorf("%w: %s: %d bytes, sealed with %d", storeerr.ErrCorrupt, f.Path, info.Size(), f.Size)
	}
	d.infos[f.Path] = info
	if f.Size > HashedBytes || !strings.HasPrefix(f.Path, GraphName+"/") {
		return nil
	}
	data, err := d.Dir.ReadFile(f.Path, HashedBytes)
	if err != nil {
		return storeerr.Damage(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
		return fmt.Errorf("%w: %s: contents differ from what was sealed (SHA-256 %x, want %s)", storeerr.ErrCorrupt, d.Path(f.Path), sum, f.SHA256)
	}
	return nil
}

// Open opens a sealed file, if it is still the file that the directory was opened with.
func (d *Dir) Open(rel string) (*os.File, error) {
	before, listed := d.infos[rel]
	if !listed {
		return nil, &fs.PathError{Op: "open", Path: d.Path(rel), Err: errNotSealed}
	}
	f, err := d.Dir.Open(rel)
	if err != nil {
		return nil, missing(err)
	}
	now, err := f.Stat()
	if err == nil && (!os.SameFile(before, now) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())) {
		err = fmt.Errorf("%w: %s was replaced while the store is open", storeerr.ErrCorrupt, d.Path(rel))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// errNotSealed looks to Pebble like a file that does not exist.
var errNotSealed error = notSealed{}

type notSealed struct{}

func (notSealed) Error() string        { return "not part of the sealed store" }
func (notSealed) Is(target error) bool { return target == fs.ErrNotExist }

// Finished returns nil if a directory holds a seal. Otherwise it names the state: no
// store, or an unfinished build.
func Finished(home *rooted.Dir) error {
	sealed, err := home.Exists(SealName)
	if sealed || err != nil {
		return err
	}
	begun, err := home.Exists(GraphName)
	switch {
	case err != nil:
		return err
	case begun:
		return fmt.Errorf("%w: %s; give its build command again to continue it", storeerr.ErrNotFinished, home.Name())
	}
	return fmt.Errorf("%w: %s has no graph in it", storeerr.ErrNotStore, home.Name())
}

// Missing reports whether an error says that a file does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

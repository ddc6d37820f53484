// Package written keeps account of the files that a database has on disk, so that a build that goes
// on tells damage from a crash.
//
// Pebble ends reading its manifest, and its logs, at the first record that does not hold:
// after a crash that is where writing ended. One bit that changed in the middle looks the
// same, and all that was written behind it is lost without a word: tables are taken for
// nobody's and deleted, and a build goes on from a state that never was.
//
// So whenever a manifest or a log is synced, a line is written to the account, the file
// "written" beside them: its name, how many bytes were synced and their hash. Check holds
// the files against it. Bytes behind these were not promised to anyone.
//
//	knng written 1
//	MANIFEST-000012 4013 9f3c1e0a77b2d644 5b0c67fa2d9e1183
//	000013.log 512 11aa0c5d9e6f3b27 c0ffee5a3b1d2e4f
//	000011.log gone 77d0c9a4e1b2f386
//	000015.sst ends 8190 3f1c62a9b07d5e44 90ab12cd34ef5678
//
// A table that was made elsewhere and linked into the folder is told of by its size and the
// hash of its ends (sealed.Ends): one of another build, or one that was cut, does not fit.
// Pebble's checksums hold the rest of it. A table that is not there is no matter of the
// account: the manifest, which is in it, says which tables there are.
//
// The last number of a line is the hash of the line up to it. The account is not
// synced line by line: a crash may lose the last ones, which makes it say less and nothing
// wrong. It is synced before a file goes that it tells of.
package written

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Name is the name of an account in its folder.
const Name = "written"

const header = "knng written 1\n"

// ErrDiffers says that a file differs from the account.
var ErrDiffers = errors.New("not what was written")

// a claim is how much of a file was synced, and its hash; or the size of a table and the
// hash of its ends.
type claim struct {
	bytes int64
	sum   uint64
	ends  bool
}

// tracked reports whether the account tells of a file of that name.
func tracked(name string) bool {
	return strings.HasPrefix(name, "MANIFEST-") || strings.HasSuffix(name, ".log") || isTable(name)
}

func isTable(name string) bool { return strings.HasSuffix(name, ".sst") }

// line is one of the account, with its own hash.
func line(text string) string {
	return fmt.Sprintf("%s %016x\n", text, xxhash.Sum64String(text))
}

func (c claim) line(name string) string {
	if c.ends {
		return line(fmt.Sprintf("%s ends %d %016x", name, c.bytes, c.sum))
	}
	return line(fmt.Sprintf("%s %d %016x", name, c.bytes, c.sum))
}

// gone is the line of a file that is about to go.
func gone(name string) string { return line(name + " gone") }

// parse reads an account up to the first line that does not hold.
func parse(text []byte) (map[string]claim, error) {
	rest, ok := strings.CutPrefix(string(text), header)
	if !ok {
		return nil, fmt.Errorf("%w: it begins with %q, want %q", ErrDiffers, text[:min(len(text), len(header))], header)
	}
	claims := map[string]claim{}
	for {
		entry, after, whole := strings.Cut(rest, "\n")
		at := strings.LastIndexByte(entry, ' ')
		if !whole || at < 0 || line(entry[:at]) != entry+"\n" {
			return claims, nil
		}
		rest = after
		switch parts := strings.Split(entry[:at], " "); len(parts) {
		case 2:
			delete(claims, parts[0])
		case 3, 4:
			size, err := strconv.ParseInt(parts[len(parts)-2], 10, 64)
			sum, sumErr := strconv.ParseUint(parts[len(parts)-1], 16, 64)
			if err = errors.Join(err, sumErr); err != nil {
				return nil, err
			}
			claims[parts[0]] = claim{size, sum, len(parts) == 4}
		}
	}
}

// mostBytes bounds an account that is read: some 20 million lines.
const mostBytes = 1 << 30

// read returns the claims of the account of a folder; none where there is no account.
func read(files vfs.FS, dir string) (map[string]claim, error) {
	f, err := files.Open(files.PathJoin(dir, Name))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]claim{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil, err
	}
	claims, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files.PathJoin(dir, Name), err)
	}
	return claims, nil
}

// Check holds the files in a folder against its account, where it has one. Errors:
// ErrDiffers, and those of the system.
func Check(files vfs.FS, dir string) error {
	_, err := check(files, dir)
	return err
}

func check(files vfs.FS, dir string) (map[string]claim, error) {
	claims, err := read(files, dir)
	if err != nil {
		return nil, err
	}
	for name, c := range claims {
		if err := c.check(files, files.PathJoin(dir, name)); err != nil {
			return nil, err
		}
	}
	return claims, nil
}

func (c claim) check(files vfs.FS, path string) error {
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) && isTable(path) {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is gone, of which %d bytes were written", ErrDiffers, path, c.bytes)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if c.ends {
		return c.checkEnds(f, path)
	}
	h := xxhash.New()
	n, err := io.Copy(h, io.LimitReader(f, c.bytes))
	if err != nil {
		return err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case isTable(path) && info.Size() > c.bytes: // which is synced once, when it is whole
		return fmt.Errorf("%w: %s has %d bytes, %d were written", ErrDiffers, path, info.Size(), c.bytes)
	case n < c.bytes:
		return fmt.Errorf("%w: %s has %d bytes, %d were written", ErrDiffers, path, n, c.bytes)
	case h.Sum64() != c.sum:
		return fmt.Errorf("%w: %s: its first %d bytes have hash %016x, they had %016x", ErrDiffers, path, c.bytes, h.Sum64(), c.sum)
	}
	return nil
}

// begin writes an account anew, of the same claims, in place of the old one.
func begin(files vfs.FS, dir string, claims map[string]claim) (vfs.File, error) {
	path := files.PathJoin(dir, Name)
	f, err := files.Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.WriteString(header)
	for name, c := range claims {
		text.WriteString(c.line(name))
	}
	if _, err = f.Write(text.Bytes()); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = files.Rename(path+".new", path)
	}
	if err == nil { // later lines stand in the new one only
		err = syncFolder(files, dir)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func syncFolder(files vfs.FS, dir string) error {
	d, err := files.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

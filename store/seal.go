package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// SealedFile is a line of DIR/SEAL: a file of a finished store.
type SealedFile struct {
	Path   string `json:"path"` // relative, slash-separated
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Seal stores result (the builder's report, JSON), drops everything that only a
// build needs (subgraphs, leaf numbers, folded lists, progress), closes Pebble,
// and writes DIR/SEAL: every file but the view and scratch files with size and
// SHA-256. After it the directory is read-only and the Draft closed.
func (d *Draft) Seal(result any) (err error) {
	if err := d.Record("result", result); err != nil {
		return err
	}
	if err := d.dropProgress(); err != nil {
		return err
	}
	if err := d.fs.RemoveAll(filepath.Join(d.dir, graphName, "tables")); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := d.makeView(); err != nil {
		return err
	}
	engine := d.engine
	d.engine = nil
	if err := engine.close(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	// Files that Pebble removed must not come back beside those that are sealed.
	if err := syncDir(d.fs, filepath.Join(d.dir, graphName)); err != nil {
		return err
	}
	if err := seal(d.fs, d.dir); err != nil {
		return err
	}
	if d.opts.Scratch != "" {
		_ = os.RemoveAll(d.scratchPath()) // what is left there is of no use to anyone
	}
	return d.Close()
}

// ReadResult reads what the sealed store in dir was sealed with into result, as
// json.Unmarshal does. Errors: those of Open, ErrCorrupt.
func ReadResult(dir string, result any) error {
	s, err := Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := json.Unmarshal(s.info.Result, result); err != nil {
		return fmt.Errorf("%w: result stored in %s: %w", ErrCorrupt, dir, err)
	}
	return nil
}

// makeView makes the view of the lists, if there are any.
func (d *Draft) makeView() error {
	shape, ok, err := d.Adjacency()
	if err != nil || !ok {
		return err
	}
	return d.engine.makeView(d.fs, d.dir, outLists(shape))
}

// dropProgress drops what only a build needs.
func (d *Draft) dropProgress() error {
	for _, tag := range buildTags {
		if err := d.excise([]byte{tag}, []byte{tag + 1}); err != nil {
			return err
		}
	}
	return d.settle()
}

// settle rewrites the little that did not come in tables, so that the log holds
// nothing to replay.
func (d *Draft) settle() error {
	e := d.engine
	if err := e.write(e.db.Flush); err != nil {
		return fmt.Errorf("store: flush: %w", err)
	}
	err := e.write(func() error {
		return e.db.Compact(context.Background(), []byte{tagRecord}, []byte{tagRecord + 1}, false)
	})
	if err != nil {
		return fmt.Errorf("store: compact: %w", err)
	}
	return nil
}

const sealHeader = "knng seal 1"

// seal hashes all files and writes DIR/SEAL aside, then renames it: the store is
// finished from that moment.
//
//	knng seal 1
//	<sha256> <size> <path>       one line a file, by path
//	...
//	seal <sha256 of all lines before>
func seal(fs vfs.FS, dir string) error {
	files, err := hashFiles(dir)
	if err != nil {
		return err
	}
	p, err := newPublication(fs, filepath.Join(dir, sealName))
	if err != nil {
		return err
	}
	defer p.Abort()
	if _, err := p.Write(sealText(files)); err != nil {
		return err
	}
	return p.Commit()
}

func sealText(files []SealedFile) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, sealHeader)
	for _, f := range files {
		fmt.Fprintf(&b, "%s %d %s\n", f.SHA256, f.Size, f.Path)
	}
	sum := sha256.Sum256(b.Bytes())
	fmt.Fprintf(&b, "seal %x\n", sum)
	return b.Bytes()
}

// unsealed are files that a seal is not about: itself, and the view, which is
// derived and may be deleted.
var unsealed = []string{sealName, sealName + newSuffix, viewName, viewName + newSuffix}

// hashFiles lists the files of a store, sorted, with their hashes, which it
// computes side by side.
func hashFiles(dir string) (files []SealedFile, err error) {
	err = walkFiles(dir, func(rel string, info os.FileInfo) error {
		if !slices.Contains(unsealed, rel) {
			files = append(files, SealedFile{Path: rel, Size: info.Size()})
		}
		return nil
	})
	slices.SortFunc(files, func(a, b SealedFile) int { return cmp.Compare(a.Path, b.Path) })
	errs := make([]error, len(files))
	running := make(chan struct{}, runtime.GOMAXPROCS(0))
	var g sync.WaitGroup
	for i := range files {
		running <- struct{}{}
		g.Go(func() {
			files[i].SHA256, errs[i] = hashFile(filepath.Join(dir, filepath.FromSlash(files[i].Path)))
			<-running
		})
	}
	g.Wait()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return files, nil
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// readSeal reads and checks DIR/SEAL.
func readSeal(dir string) ([]SealedFile, error) {
	text, err := os.ReadFile(filepath.Join(dir, sealName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: not sealed: %w", ErrCorrupt, err)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	files, err := parseSeal(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, filepath.Join(dir, sealName), err)
	}
	return files, nil
}

func parseSeal(text []byte) ([]SealedFile, error) {
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
	if !lines.Scan() || lines.Text() != sealHeader {
		return nil, fmt.Errorf("begins with %q, want %q", lines.Text(), sealHeader)
	}
	var files []SealedFile
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), " ", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("line %q", lines.Text())
		}
		size, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		if size < 0 || !filepath.IsLocal(filepath.FromSlash(parts[2])) {
			return nil, fmt.Errorf("line %q: %d bytes, or no file of the store", lines.Text(), size)
		}
		files = append(files, SealedFile{parts[2], size, parts[0]})
	}
	return files, lines.Err()
}

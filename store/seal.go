package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/written"
)

// Seal stores result (the builder's report, JSON), drops everything that only a
// build needs (subgraphs, leaf numbers, folded lists, progress), closes Pebble,
// and writes DIR/SEAL: every file of the database, and the rows, with size and
// SHA-256; derived files and foreign ones are not sealed. After it the directory
// is read-only and the Draft closed. Cancelling ctx stops it with ctx's error; the result
// is kept, and another Draft can be sealed with it.
func (d *Draft) Seal(ctx context.Context, result any) (err error) {
	s := sealing{d}
	if err := s.rest(result); err != nil {
		return err
	}
	ahead, stop := context.WithCancel(ctx)
	hashed := hashAhead(ahead, d.home)
	defer func() {
		stop()
		hashed()
	}()
	if err := s.makeView(ctx); err != nil {
		return err
	}
	catalog, err := s.draftCatalog(ctx)
	if err != nil {
		return err
	}
	if catalog != nil {
		defer catalog.Abort()
	}
	if err := s.closeDatabase(); err != nil {
		return err
	}
	if err := seal(ctx, d.fs, d.home, catalog, hashed(), d.endEarly); err != nil {
		return err
	}
	d.scratch.drop(d.manifest.Created)
	d.untell()
	return d.Close()
}

// rest stores the result, drops what only a build needs, and has the database come to rest: its tables do not change any more.
func (d sealing) rest(result any) error {
	if err := d.soundRows(); err != nil {
		return err
	}
	if err := d.Record("result", result); err != nil {
		return err
	}
	if err := d.engine.dropProgress(); err != nil {
		return err
	}
	if err := d.engine.recordIdentities(d.home); err != nil {
		return err
	}
	if err := d.engine.settle(); err != nil {
		return err
	}
	return d.remove(filepath.Join(graphName, tablesName))
}

// closeDatabase closes the database, and removes all files that are not to be sealed. They must not come back beside those
// that are: its folder is synced.
func (d sealing) closeDatabase() error {
	if err := d.remove(leftovers...); err != nil { // of a crash; the last sync of the store's folder takes them along
		return err
	}
	engine := d.engine
	d.engine = nil
	if err := engine.close(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	if err := d.remove(filepath.Join(graphName, written.Name)); err != nil {
		return err
	}
	if err := d.dropLogs(); err != nil {
		return err
	}
	return syncDir(d.fs, filepath.Join(d.dir, graphName))
}

// remove removes files and folders of the store, where they are there.
func (d sealing) remove(paths ...string) error {
	for _, path := range paths {
		if err := d.fs.RemoveAll(filepath.Join(d.dir, path)); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return nil
}

// dropLogs removes the logs that Pebble keeps to write over: all but the last, since settle
// flushed what was in them. They would be sealed, with 300 KB of units of 1,000 rows.
func (d sealing) dropLogs() error {
	dir := filepath.Join(d.dir, graphName)
	names, err := d.fs.List(dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	logs := slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, ".log") })
	slices.SortFunc(logs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, name := range logs[:max(0, len(logs)-1)] {
		if err := d.fs.Remove(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return nil
}

// ReadResult decodes the result that the store in dir was sealed with, as json.Unmarshal
// does. Errors: those of Open, ErrCorrupt, and those of encoding/json where it does not fit result.
func ReadResult(dir string, result any) error {
	s, err := Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = decodeFor("result stored in "+dir, s.info.Result, result)
	return err
}

// Record decodes the record of a name (Draft.Record) into v. ok is false where there is
// none. Errors: ErrCorrupt, ErrClosed, and those of encoding/json where the record does not fit v.
func (s *Store) Record(name string, v any) (ok bool, err error) {
	if !s.graph.Enter() {
		return false, ErrClosed
	}
	defer s.graph.Leave()
	return s.engine.loadFor(name, v)
}

// sealing is a draft that is being sealed.
type sealing struct{ *Draft }

// makeView makes the view of the lists, if there are any.
func (d sealing) makeView(ctx context.Context) error {
	shape, ok, err := d.Adjacency()
	if err != nil || !ok {
		return err
	}
	return d.engine.makeView(ctx, d.fs, d.home, block.Out(shape))
}

// draftCatalog begins the catalog; nil if there are no lists.
func (d sealing) draftCatalog(ctx context.Context) (*catalogDraft, error) {
	if _, ok, err := d.Adjacency(); err != nil || !ok {
		return nil, err
	}
	return d.engine.draftCatalog(ctx, d.fs, filepath.Join(d.dir, catalogName))
}

// dropProgress drops the data that only a build needs, and has the rest in tables.
func (e *engine) dropProgress() error {
	first, last := buildTags[0], buildTags[len(buildTags)-1]
	if err := e.excise([]byte{first}, []byte{last + 1}); err != nil {
		return err
	}
	return e.flush()
}

// flush has tables of all that is in the log.
func (e *engine) flush() error {
	if err := e.write(e.db.Flush); err != nil {
		return fmt.Errorf("store: flush: %w", err)
	}
	return nil
}

// settle rewrites the little that did not come in tables, so that the log holds
// nothing to replay.
func (e *engine) settle() error {
	if err := e.flush(); err != nil {
		return err
	}
	err := e.write(func() error {
		return e.db.Compact(context.Background(), []byte{tagRecord}, []byte{tagRecord + 1}, false)
	})
	if err != nil {
		return fmt.Errorf("store: compact: %w", err)
	}
	return nil
}

// seal hashes all files but those that are hashed, calls synced, after which all but the seal is on disk, and writes DIR/SEAL
// aside, then renames it: the store is finished from that moment.
//
//	knng seal 1
//	<sha256> <size> <path>       one line a file, by path
//	...
//	seal <sha256 of all lines before>
func seal(ctx context.Context, fs vfs.FS, home *rooted.Dir, catalog *catalogDraft, hashed []SealedFile, synced func() error) error {
	files, errs, err := hashFiles(ctx, home, ours, hashed, func(done, all int64) {})
	if err == nil { // else that of ctx, which ended the hashing of several files
		err = errors.Join(errs...)
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	text := sealed.Text(files)
	if catalog != nil {
		if err := catalog.end(sha256.Sum256(text)); err != nil {
			return err
		}
	}
	if err := synced(); err != nil {
		return err
	}
	p, err := newPublication(fs, home.Path(sealName))
	if err != nil {
		return err
	}
	defer p.Abort()
	if _, err := p.Write(text); err != nil {
		return err
	}
	return p.Commit()
}

// ours reports whether a file belongs to the store, and so into its seal. Other files in the
// folder, a log of the build perhaps, may change.
func ours(rel string) bool {
	return strings.HasPrefix(rel, graphName+"/") || rel == rowsPath
}

// beside are the files of a store that its seal does not list: itself, and derived files,
// which may be deleted.
var beside = []string{sealName, sealName + newSuffix, viewName, viewName + newSuffix, catalogName, catalogName + newSuffix, mapName}

// leftovers are unfinished files that a crash may leave: of the database, and of the rows.
var leftovers = []string{graphName + newSuffix, filepath.Join(vectorsName, rowsName+newSuffix)}

// left reports whether a file is of them.
func left(rel string) bool {
	return slices.ContainsFunc(leftovers, func(path string) bool {
		path = filepath.ToSlash(path)
		return rel == path || strings.HasPrefix(rel, path+"/")
	})
}

// strangers are the files in a store's folder that are not the store's.
func strangers(home *rooted.Dir) (names []string, err error) {
	err = home.Walk(".", func(rel string, info fs.FileInfo) error {
		switch kind := rooted.Kind(info.Mode()); {
		case rel == livingName && info.IsDir(), rel == reverseName && info.IsDir(), rel == reverseName+newSuffix && info.IsDir():
			return fs.SkipDir
		case rel == searchName && info.IsDir(), strings.HasPrefix(rel, searchName+"/") && info.Mode().IsRegular():
		case strings.HasPrefix(rel, scratchName+"/") && kind == "" && !(rel == lockName && info.IsDir()), left(rel) && kind == "":
		case info.IsDir() && rel != lockName:
			return emptyStranger(home, rel, &names)
		case !ours(rel) && (!slices.Contains(beside, rel) || kind != ""):
			names = append(names, rel)
		}
		return nil
	})
	return names, err
}

// emptyStranger notes a folder that is not the store's, unless there are files in it, which
// tell of it themselves.
func emptyStranger(home *rooted.Dir, rel string, names *[]string) error {
	if slices.Contains([]string{graphName, vectorsName, scratchName}, rel) {
		return nil
	}
	within, err := home.List(rel)
	if err == nil && len(within) == 0 {
		*names = append(*names, rel)
	}
	return err
}

// writtenOnce reports whether a file of the store does not change from when it is there: the rows, and Pebble's tables.
func writtenOnce(rel string) bool {
	return rel == rowsPath || strings.HasPrefix(rel, graphName+"/") && strings.HasSuffix(rel, ".sst")
}

// hashAhead hashes the files that do not change any more while others are written. The function that it returns waits for
// them; the end of ctx ends it. A file that cannot be read is left to those who need its hash.
func hashAhead(ctx context.Context, home *rooted.Dir) (wait func() []SealedFile) {
	hashed := make(chan []SealedFile, 1)
	go func() {
		files, errs, _ := hashFiles(ctx, home, writtenOnce, nil, func(done, all int64) {})
		sound := files[:0]
		for i, f := range files {
			if errs[i] == nil {
				sound = append(sound, f)
			}
		}
		hashed <- sound
	}()
	return sync.OnceValue(func() []SealedFile { return <-hashed })
}

// hashFiles lists the files of a store that are wanted, sorted, with their hashes, which it
// computes side by side but for those known; errs are those of files that could not be read. tell is told how
// many bytes of all are hashed, by one goroutine at a time.
func hashFiles(ctx context.Context, home *rooted.Dir, wanted func(rel string) bool, known []SealedFile, tell func(done, all int64)) (files []SealedFile, errs []error, err error) {
	var all int64
	err = walkFiles(home, func(rel string, info fs.FileInfo) error {
		if wanted(rel) {
			files = append(files, SealedFile{Path: rel, Size: info.Size()})
			all += info.Size()
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(files, func(a, b SealedFile) int { return cmp.Compare(a.Path, b.Path) })
	errs = make([]error, len(files))
	hashed := &hashMeter{ctx: ctx, all: all, tell: tell}
	running := make(chan struct{}, runtime.GOMAXPROCS(0))
	var g sync.WaitGroup
	for i, f := range files {
		at := slices.IndexFunc(known, func(k SealedFile) bool { return k.Path == f.Path && k.Size == f.Size })
		if at >= 0 {
			files[i] = known[at]
			continue
		}
		running <- struct{}{}
		g.Go(func() {
			files[i].SHA256, errs[i] = hashFile(home, files[i], hashed)
			<-running
		})
	}
	g.Wait()
	return files, errs, ctx.Err()
}

// hashMeter counts the bytes hashed, and ends the hashing when its context ends.
type hashMeter struct {
	ctx  context.Context
	all  int64
	tell func(done, all int64)

	mu   sync.Mutex
	done int64
}

// Write counts bytes that were hashed.
func (m *hashMeter) Write(data []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += int64(len(data))
	m.tell(m.done, m.all)
	return len(data), m.ctx.Err()
}

// hashBytes is how much of a file is hashed at a time. A megabyte is no faster, and several
// small files left as many of them to the collector.
const hashBytes = 256 << 10

// hashFile hashes a file, no further than it reached when it was looked at.
func hashFile(home *rooted.Dir, of SealedFile, meter *hashMeter) (string, error) {
	f, err := home.Open(of.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.CopyBuffer(io.MultiWriter(h, meter), io.LimitReader(f, of.Size), make([]byte, min(of.Size+1, hashBytes))); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

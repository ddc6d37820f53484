package living

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/pointer"
)

// Backup makes a store of the view in a new folder, while the store is written to. Files of the base, which
// nobody writes to, are linked if the file system can, else copied, with the catalog and the links and codes
// of search if they exist; logs are copied up to the moment of the view. The copy is durable when Backup
// returns nil. After an error, or if ctx is cancelled, nothing remains. If the process ends before, it leaves
// a folder that no command takes for a store, and in which another backup of the same store begins anew.
// Errors: fs.ErrExist, ctx's, ErrLocked if another backup fills the folder, ErrCorrupt, ErrClosed,
// store.ErrSpace.
func (v *View) Backup(ctx context.Context, dir string) error {
	if !v.calls.Enter() {
		return ErrClosed
	}
	defer v.calls.Leave()
	u, err := v.begin(dir)
	if err != nil {
		return store.SpaceError(err)
	}
	defer u.release()
	if err := (&backup{View: v, ctx: ctx, dir: dir, home: u}).fill(); err != nil {
		return store.SpaceError(errors.Join(err, u.remove()))
	}
	return nil
}

// A backup copies a view into a folder.
type backup struct {
	*View
	ctx  context.Context
	dir  string
	home *unfinished
	to   disk.FS // the folder's file system
}

// fill fills the folder. The seal of the base comes last: without it there is no store. Then the note is
// removed.
func (b *backup) fill() error {
	b.to = disk.In(b.home.Dir)
	if err := b.base(); err != nil {
		return err
	}
	m := *b.snap.man
	wrote := len(m.Logs) > 0 // otherwise nothing was ever written
	if wrote {
		if err := b.written(&m); err != nil {
			return err
		}
	}
	if b.st.base != nil {
		if err := b.file(sealName, copyFile); err != nil {
			return err
		}
	}
	if err := b.home.syncFolders(b.to); err != nil {
		return err
	}
	return b.home.end(wrote)
}

// written copies everything except the base.
func (b *backup) written(m *pointer.Manifest) error {
	if err := b.logs(m); err != nil {
		return err
	}
	m.Compact = nil // its unfinished base is not copied
	if m.Layer != "" {
		if err := disk.Write(b.to, pointer.Folder, path.Base(m.Layer), b.snap.layer.Encode()); err != nil {
			return err
		}
	}
	if m.Rows != "" {
		if err := disk.Write(b.to, pointer.Folder, path.Base(m.Rows), b.st.base.rows.encode()); err != nil {
			return err
		}
	}
	if note, err := b.st.dir.ReadFile(pointer.Folder+"/"+appendingName, appendingBytes); err == nil {
		if err := disk.Write(b.to, pointer.Folder, appendingName, note); err != nil {
			return err
		}
	}
	return pointer.Write(b.to, m)
}

// syncFolders makes the names of all files durable.
func (h *home) syncFolders(to disk.FS) error {
	if err := to.SyncFolder("."); err != nil {
		return err
	}
	return h.Walk(".", func(rel string, info fs.FileInfo) error {
		if info.IsDir() {
			return to.SyncFolder(rel)
		}
		return nil
	})
}

// logs copies the logs, the last one as far as the view sees it.
func (b *backup) logs(m *pointer.Manifest) error {
	for i := range m.Logs {
		r, end, err := b.logAt(i, i == len(m.Logs)-1)
		if err != nil {
			return err
		}
		f, err := b.to.Create(pointer.Log(m.Logs[i]))
		if err != nil {
			return err
		}
		err = oplog.Copy(f, r, end)
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return b.to.SyncFolder(pointer.Folder)
}

// logAt returns a log and its length, as the view sees it.
func (b *backup) logAt(i int, last bool) (*oplog.Reader, int64, error) {
	b.st.writing.Lock()
	defer b.st.writing.Unlock()
	r := b.st.logs[i]
	if last {
		return r, b.snap.end, nil
	}
	end, err := r.Durable()
	return r, end, err
}

// base links the files of the base except its seal.
func (b *backup) base() error {
	if b.st.base == nil {
		return nil
	}
	for _, f := range b.st.base.g.Info().Files {
		if err := b.file(f.Path, linkOrCopy); err != nil {
			return err
		}
	}
	for _, name := range []string{"view", "catalog", "search/links", "search/codes", "search/rows"} { // these may have been deleted
		if err := b.file(name, linkOrCopy); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// file links or copies a file of the base. The seal is copied: readers lock it, and with a link they would
// lock the other store too.
func (b *backup) file(name string, by func(ctx context.Context, from, to string) error) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	name = filepath.FromSlash(name)
	base := b.snap.man.Base
	from, to := filepath.Join(b.st.path(base), name), filepath.Join(b.dir, filepath.FromSlash(base), name)
	err := os.MkdirAll(filepath.Dir(to), 0o777)
	if err == nil {
		err = by(b.ctx, from, to)
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

func linkOrCopy(ctx context.Context, from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	return copyFile(ctx, from, to)
}

// copyFile makes a synced copy.
func copyFile(ctx context.Context, from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(dst, src, 64<<20)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, dst.Sync(), dst.Close())
}

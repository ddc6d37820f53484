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

	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/pointer"
	"github.com/knng/knng/vectors/aside"
)

// Backup makes a store of the view in a folder that is not there yet, while the store is
// written to. Files of the base, which nobody writes to, are linked where the file system can,
// else copied, with the catalog, and the links and codes of search, that are there; logs are copied up to the moment
// of the view. It is durable when Backup returns nil; after an error, or where ctx is cancelled, nothing is left. A
// process that ends meanwhile leaves a folder that no command takes for a store. Errors: fs.ErrExist,
// ctx's, ErrCorrupt, ErrClosed, store.ErrSpace.
func (v *View) Backup(ctx context.Context, dir string) error {
	if !v.calls.Enter() {
		return ErrClosed
	}
	defer v.calls.Leave()
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if err := v.backup(ctx, dir); err != nil {
		return spaceError(errors.Join(err, os.RemoveAll(dir)))
	}
	return nil
}

// backup fills a folder. The seal of the base comes last: without it there is no store.
func (v *View) backup(ctx context.Context, dir string) error {
	h, err := openHome(dir)
	if err != nil {
		return err
	}
	defer h.release()
	to := disk.In(h.Dir)
	if err := v.backupBase(ctx, dir); err != nil {
		return err
	}
	if m := *v.snap.man; len(m.Logs) > 0 { // else nothing was ever written
		if err := v.backupWritten(to, &m); err != nil {
			return err
		}
	}
	if v.st.base != nil {
		if err := v.backupFile(ctx, dir, sealName, copyFile); err != nil {
			return err
		}
	}
	if err := h.syncFolders(to); err != nil {
		return err
	}
	return aside.SyncFolder(filepath.Dir(filepath.Clean(dir)))
}

// backupWritten copies all that is not of the base.
func (v *View) backupWritten(to disk.FS, m *pointer.Manifest) error {
	if err := to.Mkdir(pointer.Folder); err != nil {
		return err
	}
	if err := v.backupLogs(to, m); err != nil {
		return err
	}
	m.Compact = nil // its unfinished base stays behind
	if m.Layer != "" {
		if err := disk.Write(to, pointer.Folder, path.Base(m.Layer), v.snap.layer.Encode()); err != nil {
			return err
		}
	}
	if m.Rows != "" {
		if err := disk.Write(to, pointer.Folder, path.Base(m.Rows), v.st.base.rows.encode()); err != nil {
			return err
		}
	}
	if note, err := v.st.dir.ReadFile(pointer.Folder+"/"+appendingName, appendingBytes); err == nil {
		if err := disk.Write(to, pointer.Folder, appendingName, note); err != nil {
			return err
		}
	}
	return pointer.Write(to, m)
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

// backupLogs copies the logs, the last as far as the view sees.
func (v *View) backupLogs(to disk.FS, m *pointer.Manifest) error {
	for i := range m.Logs {
		r, end, err := v.logAt(i, i == len(m.Logs)-1)
		if err != nil {
			return err
		}
		f, err := to.Create(pointer.Log(m.Logs[i]))
		if err != nil {
			return err
		}
		err = oplog.Copy(f, r, end)
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return to.SyncFolder(pointer.Folder)
}

// logAt is a log and its length, as the view sees it.
func (v *View) logAt(i int, last bool) (*oplog.Reader, int64, error) {
	v.st.writing.Lock()
	defer v.st.writing.Unlock()
	r := v.st.logs[i]
	if last {
		return r, v.snap.end, nil
	}
	end, err := r.Durable()
	return r, end, err
}

// backupBase links the files of the base, but for its seal.
func (v *View) backupBase(ctx context.Context, dir string) error {
	if v.st.base == nil {
		return nil
	}
	for _, f := range v.st.base.g.Info().Files {
		if err := v.backupFile(ctx, dir, f.Path, linkOrCopy); err != nil {
			return err
		}
	}
	for _, name := range []string{"view", "catalog", "search/links", "search/codes", "search/rows"} { // which may be deleted
		if err := v.backupFile(ctx, dir, name, linkOrCopy); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// backupFile links or copies a file of the base. Its seal is copied: readers lock that, and
// would lock the other store's as well.
func (v *View) backupFile(ctx context.Context, dir, name string, by func(ctx context.Context, from, to string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name = filepath.FromSlash(name)
	base := v.snap.man.Base
	from, to := filepath.Join(v.st.path(base), name), filepath.Join(dir, filepath.FromSlash(base), name)
	err := os.MkdirAll(filepath.Dir(to), 0o777)
	if err == nil {
		err = by(ctx, from, to)
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

// copyFile makes a copy, synced.
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

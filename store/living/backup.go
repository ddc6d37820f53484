package living

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/pointer"
)

// Backup makes a store of the view in a folder that is not there yet, while the store is
// written to. Files of the base, which nobody writes to, are linked where the file system can,
// else copied, with the links and codes of search that are there; logs are copied up to the moment
// of the view. Cancelling ctx stops it and leaves
// a folder that is no store.
func (v *View) Backup(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	h, err := openHome(dir)
	if err != nil {
		return err
	}
	defer h.release()
	to := disk.In(h.Dir)
	if err := to.Mkdir(pointer.Folder); err != nil {
		return err
	}
	if err := v.backupBase(ctx, dir); err != nil {
		return err
	}
	m := *v.snap.man
	if len(m.Logs) == 0 { // nothing was ever written
		return to.RemoveAll(pointer.Folder)
	}
	if err := v.backupLogs(to, &m); err != nil {
		return err
	}
	if c := m.Compact; c != nil { // its unfinished base stays behind
		m.Compact = nil
	}
	if m.Layer != "" {
		if err := disk.Write(to, pointer.Folder, m.Layer[len(pointer.Folder)+1:], v.snap.layer.Encode()); err != nil {
			return err
		}
	}
	if rows := m.Rows; rows != "" {
		if err := disk.Write(to, pointer.Folder, rows[len(pointer.Folder)+1:], v.st.base.rows.b); err != nil {
			return err
		}
	}
	return errors.Join(pointer.Write(to, &m), to.SyncFolder("."))
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

// backupBase links the files of the base.
func (v *View) backupBase(ctx context.Context, dir string) error {
	if v.st.base == nil {
		return nil
	}
	from, to := v.st.path(v.st.man.Base), filepath.Join(dir, filepath.FromSlash(v.st.man.Base))
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	names := []string{sealName, "view", "search/links", "search/codes"}
	for _, f := range v.st.base.g.Info().Files {
		names = append(names, f.Path)
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		name = filepath.FromSlash(name)
		err := linkOrCopy(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && name != sealName) {
			return fmt.Errorf("backup: %w", err)
		}
	}
	return nil
}

func linkOrCopy(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Sync(), dst.Close())
}

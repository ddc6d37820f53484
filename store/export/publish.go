package export

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/knng/knng/vectors/aside"
)

// writeBytes is the buffer of a file: system calls vanish beside the copying.
const writeBytes = 1 << 20

// publish writes files aside and renames them when all are whole, and free has nothing
// against it.
func publish(files []file, free func() error) error {
	written := make([]*aside.File, 0, len(files))
	defer func() {
		for _, f := range written {
			f.Abort()
		}
	}()
	for _, f := range files {
		out, err := aside.Create(f.path)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		written = append(written, out)
		if err := write(out, f); err != nil {
			return fmt.Errorf("export: %s: %w", f.path, err)
		}
	}
	if err := free(); err != nil {
		return err
	}
	for _, f := range written {
		if err := f.Rename(); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return syncFolder(filepath.Dir(files[0].path))
}

// write fills a file, down to the disk.
func write(out *aside.File, f file) error {
	w := bufio.NewWriterSize(out, writeBytes)
	if err := f.write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Settle()
}

// publishFolder makes a folder of files. A new folder appears whole; in one that
// exists the files are replaced one after the other, and others are left alone.
func publishFolder(path string, files []file, free func() error) error {
	_, err := os.Stat(path)
	if err == nil {
		err = publish(within(path, files), free)
		if stale := filepath.Join(path, numbersFile); err == nil && files[len(files)-1].path != numbersFile {
			err = removed(stale) // that of another graph
		}
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("export: %w", err)
	}
	folder, err := aside.Mkdir(path)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer os.RemoveAll(folder) // where it was not renamed
	if err := publish(within(folder, files), free); err != nil {
		return err
	}
	if err := os.Rename(folder, path); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return syncFolder(filepath.Dir(path))
}

// removed removes a file that may be there.
func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// within are files in a folder.
func within(folder string, files []file) []file {
	paths := make([]file, len(files))
	for i, f := range files {
		paths[i] = file{filepath.Join(folder, f.path), f.write}
	}
	return paths
}

func syncFolder(path string) error {
	if err := aside.SyncFolder(path); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

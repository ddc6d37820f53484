package export

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeBytes is the buffer of a file: system calls vanish beside the copying.
const writeBytes = 1 << 20

// publish writes files aside and renames them when all are whole.
func publish(files []file) (err error) {
	defer func() {
		if err != nil {
			for _, f := range files {
				os.Remove(aside(f.path))
			}
		}
	}()
	for _, f := range files {
		if err := write(f); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := os.Rename(aside(f.path), f.path); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return syncFolder(filepath.Dir(files[0].path))
}

func aside(path string) string { return path + ".tmp" }

// write fills the file that stands aside for another, down to the disk.
func write(f file) error {
	out, err := os.Create(aside(f.path))
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	w := bufio.NewWriterSize(out, writeBytes)
	if err = f.write(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("export: %s: %w", f.path, err)
	}
	return nil
}

// publishFolder makes a folder of files. A new folder appears whole; in one that
// exists the files are replaced one after the other, and others are left alone.
func publishFolder(path string, files []file) error {
	folder := path
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		folder = aside(path)
		if err := makeFolder(folder, files); err != nil {
			return err
		}
	}
	within := make([]file, len(files))
	for i, f := range files {
		within[i] = file{filepath.Join(folder, f.path), f.write}
	}
	if err := publish(within); err != nil || !fresh {
		if fresh {
			os.Remove(folder)
		}
		return err
	}
	if err := os.Rename(folder, path); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return syncFolder(filepath.Dir(path))
}

// makeFolder makes a folder that an earlier export may have left half filled.
func makeFolder(folder string, files []file) error {
	for _, f := range files {
		os.Remove(filepath.Join(folder, f.path))
		os.Remove(aside(filepath.Join(folder, f.path)))
	}
	os.Remove(folder)
	if err := os.Mkdir(folder, 0o777); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

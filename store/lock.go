package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockDir locks DIR/scratch/lock against other builds and writes into it who
// holds it. The lock goes with the process, however that ends.
func lockDir(dir string) (*os.File, error) {
	if err := makeFolder(vfs.Default, filepath.Join(dir, scratchName)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, scratchName, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	ok, err := tryLock(f)
	if err == nil && !ok {
		holder, _ := io.ReadAll(io.LimitReader(f, 1000))
		err = fmt.Errorf("%w: %s is held by %s", ErrLocked, dir, strings.TrimSpace(string(holder)))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	host, _ := os.Hostname()
	f.Truncate(0)
	fmt.Fprintf(f, "process %d on %s since %s\n", os.Getpid(), host, time.Now().Format(time.RFC3339))
	return f, nil
}

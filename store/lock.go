package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/rooted"
)

// lockName is the file that builds lock.
const lockName = scratchName + "/lock"

// lockDir locks DIR/scratch/lock against other builds and writes into it who
// holds it. The lock goes with the process, however that ends. Cancelling ctx ends its wait for
// readers.
func lockDir(ctx context.Context, home *rooted.Dir) (io.Closer, error) {
	if err := makeFolder(pebblefs.Of(home), home.Path(scratchName)); err != nil {
		return nil, err
	}
	f, err := home.Edit(lockName)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := held(home, f, func(f *os.File) (bool, error) { return outwait(ctx, home, f) }); err != nil {
		return nil, err
	}
	if err := stillThere(home, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	host, _ := os.Hostname()
	f.Truncate(0)
	fmt.Fprintf(f, "process %d on %s since %s\n", os.Getpid(), host, time.Now().Format(time.RFC3339))
	return rooted.Locked{File: f}, nil
}

// stillThere refuses a lock whose file a build that was discarded removed while it was waited for: the
// next build would make and lock another.
func stillThere(home *rooted.Dir, f *os.File) error {
	locked, err := f.Stat()
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	now, err := home.Lstat(lockName)
	if err == nil && os.SameFile(locked, now) {
		return nil
	}
	return fmt.Errorf("%w: another build in %s was refused and cleared away at this moment: begin again", ErrLocked, home.Name())
}

// readersTake is how long a build waits for those who read it unfinished, as knng info does: opening
// the database of 100,000,000 rows takes a second.
var readersTake = 3 * time.Second // a variable for tests

// outwait takes the lock for a build. It waits where only readers share the lock, and not where a
// build holds it.
func outwait(ctx context.Context, home *rooted.Dir, f *os.File) (ok bool, err error) {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(readersTake); ; {
		if ok, err = rooted.TryLock(f); ok || err != nil {
			return ok, err
		}
		shared, err := home.Open(lockName)
		if err != nil {
			return false, fmt.Errorf("store: %w", err)
		}
		if ok, err = rooted.TryShare(shared); !ok || err != nil {
			return false, errors.Join(err, shared.Close())
		}
		if err := (rooted.Locked{File: shared}).Close(); err != nil {
			return false, fmt.Errorf("store: %w", err)
		}
		if time.Now().After(end) {
			return false, fmt.Errorf("%w: others have been reading %s for %v", ErrLocked, home.Name(), readersTake)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return false, fmt.Errorf("store: while others read %s: %w", home.Name(), ctx.Err())
		}
	}
}

// shareDir keeps builds away while an unfinished one is read. It writes nothing: where no
// build has left a file to lock, none is running.
func shareDir(home *rooted.Dir) (io.Closer, error) {
	f, err := home.Open(lockName)
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return rooted.Locked{File: f}, held(home, f, rooted.TryShare)
}

// held takes a lock, or closes its file and says who holds it.
func held(home *rooted.Dir, f *os.File, try func(*os.File) (bool, error)) error {
	ok, err := try(f)
	if err == nil && !ok {
		holder, _ := io.ReadAll(io.LimitReader(f, 1000))
		err = fmt.Errorf("%w: %s is held by %s", ErrLocked, home.Name(), strings.TrimSpace(string(holder)))
	}
	if err != nil {
		f.Close()
	}
	return err
}

// sweep removes links, pipes and devices from a folder of scratch files: no build leaves
// such there, and later writers open regular files only.
func sweep(dir *rooted.Dir, folder string) error {
	var odd []string
	err := dir.Walk(folder, func(rel string, info fs.FileInfo) error {
		if rooted.Kind(info.Mode()) != "" {
			odd = append(odd, rel)
		}
		return nil
	})
	for _, rel := range odd {
		err = errors.Join(err, dir.Remove(path.Clean(rel)))
	}
	if err != nil {
		return fmt.Errorf("store: scratch files: %w", err)
	}
	return nil
}

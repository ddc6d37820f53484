package lookup

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// process is the resources of this process.
type process struct{ anon, resident, read int64 } // bytes; read is from the disk

func readProcess() process {
	status, io := fields("/proc/self/status"), fields("/proc/self/io")
	return process{1024 * status["RssAnon"], 1024 * status["VmRSS"], io["read_bytes"]}
}

// fields reads lines of the form "name: number [kB]".
func fields(path string) map[string]int64 {
	found := map[string]int64{}
	data, err := os.ReadFile(path)
	if err != nil {
		return found
	}
	for line := range bytes.Lines(data) {
		name, value, _ := strings.Cut(string(line), ":")
		value, _, _ = strings.Cut(strings.TrimSpace(value), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			found[name] = n
		}
	}
	return found
}

// dropPages drops the cached pages of the files below the paths, except those
// that are mapped.
func dropPages(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		err := filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			if err := f.Sync(); err != nil { // what is not written yet is not dropped
				return err
			}
			return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

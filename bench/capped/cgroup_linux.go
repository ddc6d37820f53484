package capped

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cgroup is a memory cgroup made for one run.
type cgroup struct {
	dir string
	v2  bool
}

// Where the hierarchies are mounted.
const (
	mount1 = "/sys/fs/cgroup/memory"
	mount2 = "/sys/fs/cgroup"
)

// newCgroup makes one; limit 0 is none.
func newCgroup(limit int64) (*cgroup, error) {
	g := &cgroup{}
	parent := mount1
	if _, err := os.Stat(filepath.Join(mount1, "memory.limit_in_bytes")); err != nil {
		parent, g.v2 = mount2, true
		// Children have the files of a controller that their parent hands down.
		if err := os.WriteFile(filepath.Join(mount2, "cgroup.subtree_control"), []byte("+memory"), 0); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoCgroup, err)
		}
	}
	var err error
	if g.dir, err = os.MkdirTemp(parent, "capped-"); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCgroup, err)
	}
	if err := g.limit(limit); err != nil {
		g.remove()
		return nil, fmt.Errorf("%w: %w", ErrNoCgroup, err)
	}
	return g, nil
}

func (g *cgroup) limit(bytes int64) error {
	if bytes == 0 {
		return nil
	}
	value := strconv.FormatInt(bytes, 10)
	if g.v2 {
		g.write("memory.swap.max", "0") // absent where the kernel has no swap
		return g.write("memory.max", value)
	}
	if err := g.write("memory.limit_in_bytes", value); err != nil {
		return err
	}
	g.write("memory.memsw.limit_in_bytes", value) // likewise
	return nil
}

func (g *cgroup) write(name, value string) error {
	return os.WriteFile(filepath.Join(g.dir, name), []byte(value), 0)
}

func (g *cgroup) version() string {
	if g.v2 {
		return "v2"
	}
	return "v1"
}

// procs is the file that takes in processes.
func (g *cgroup) procs() string { return filepath.Join(g.dir, "cgroup.procs") }

// number reads a file of one number; 0 where it is absent.
func (g *cgroup) number(name string) int64 {
	data, err := os.ReadFile(filepath.Join(g.dir, name))
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n
}

// field reads a number from a file of lines "name number".
func (g *cgroup) field(file, name string) int64 {
	data, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		return 0
	}
	return field(data, name)
}

// field finds "name number" among lines.
func field(data []byte, name string) (n int64) {
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && strings.TrimSuffix(f[0], ":") == name {
			n, _ = strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}

// usage is the memory charged now, page cache included.
func (g *cgroup) usage() int64 {
	if g.v2 {
		return g.number("memory.current")
	}
	return g.number("memory.usage_in_bytes")
}

// peak is the kernel's own maximum of usage; 0 before Linux 5.19 under v2.
func (g *cgroup) peak() int64 {
	if g.v2 {
		return g.number("memory.peak")
	}
	return g.number("memory.max_usage_in_bytes")
}

// refused is how often the limit was met.
func (g *cgroup) refused() int64 {
	if g.v2 {
		return g.field("memory.events", "max")
	}
	return g.number("memory.failcnt") + g.number("memory.memsw.failcnt")
}

func (g *cgroup) oomKills() int64 {
	if g.v2 {
		return g.field("memory.events", "oom_kill")
	}
	return g.field("memory.oom_control", "oom_kill")
}

// remove kills the processes still in the group and removes it. An ended process
// leaves its group a moment after it was waited for.
func (g *cgroup) remove() {
	for range 100 {
		if data, err := os.ReadFile(g.procs()); err == nil {
			for line := range strings.Lines(string(data)) {
				if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pid > 1 {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
		if !g.v2 {
			g.write("memory.force_empty", "0")
		}
		if err := syscall.Rmdir(g.dir); err == nil || err == syscall.ENOENT {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

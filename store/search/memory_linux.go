package search

import (
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// available is the memory that this process may have: that of the machine, or the limit of its
// control group.
func available() int64 {
	most := int64(math.MaxInt64)
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		most = int64(info.Totalram) * int64(info.Unit)
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return most
	}
	for line := range bytes.Lines(groups) {
		_, rest, _ := strings.Cut(strings.TrimSpace(string(line)), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		switch controllers {
		case "":
			most = min(most, leastLimit("/sys/fs/cgroup", group, "memory.max"))
		case "memory":
			most = min(most, leastLimit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"))
		}
	}
	return most
}

// leastLimit is the least limit of a group and of those that it is in.
func leastLimit(mount, group, name string) int64 {
	least := int64(math.MaxInt64)
	for ; ; group = path.Dir(group) {
		text, _ := os.ReadFile(path.Join(mount, group, name))
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			least = min(least, limit)
		}
		if len(group) < 2 {
			return least
		}
	}
}

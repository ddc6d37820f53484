package offered

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Memory returns the memory of the machine in bytes, or the limit of this process's control groups if
// that is less.
func Memory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return unknown
	}
	offered := int64(info.Totalram) * int64(info.Unit)
	groups, _ := os.ReadFile("/proc/self/cgroup") // where there is none, the roots are looked at
	for _, name := range memoryLimits(string(groups)) {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 && n < offered {
			offered = n
		}
	}
	return offered
}

// memoryLimits are the files that may limit the memory of a process with such a
// /proc/self/cgroup: those of its groups and of all groups around them, to the roots,
// of both versions. Inside a container the roots alone may be there.
func memoryLimits(groups string) (paths []string) {
	around := func(root, group, file string) {
		for group = path.Join("/", group); ; group = path.Dir(group) {
			paths = append(paths, path.Join(root, group, file))
			if group == "/" {
				return
			}
		}
	}
	v1, v2 := "/", "/"
	for line := range strings.Lines(groups) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:group
		switch {
		case len(fields) < 3:
		case fields[1] == "":
			v2 = fields[2]
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			v1 = fields[2]
		}
	}
	around("/sys/fs/cgroup", v2, "memory.max")
	around("/sys/fs/cgroup/memory", v1, "memory.limit_in_bytes")
	return paths
}

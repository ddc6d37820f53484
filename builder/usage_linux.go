package builder

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// readProcess reads /proc/self: resident anonymous memory, resident memory in
// all, bytes moved by read and write calls, and CPU time.
func readProcess() process {
	status := procFields("/proc/self/status")
	io := procFields("/proc/self/io")
	p := process{
		anon: 1024 * status["RssAnon"],
		rss:  1024 * status["VmRSS"],
		read: io["rchar"], written: io["wchar"],
	}
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) == nil {
		p.cpu = seconds(ru.Utime) + seconds(ru.Stime)
	}
	return p
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// procFields reads lines of the form "name: number [kB]".
func procFields(path string) map[string]int64 {
	fields := map[string]int64{}
	data, err := os.ReadFile(path)
	if err != nil {
		return fields
	}
	for line := range bytes.Lines(data) {
		name, value, _ := strings.Cut(string(line), ":")
		value, _, _ = strings.Cut(strings.TrimSpace(value), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			fields[name] = n
		}
	}
	return fields
}

// offeredMemory is what the machine has, or less where a cgroup allows less.
func offeredMemory() int64 {
	offered := 1024 * procFields("/proc/meminfo")["MemTotal"]
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 && n < offered {
			offered = n
		}
	}
	return offered
}

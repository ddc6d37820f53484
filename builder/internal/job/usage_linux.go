package job

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// readMemory reads the resident memory, anonymous and total, from /proc/self/statm: the second number is all
// resident pages, the third those of files and shared memory. /proc/self/status, which has them by name,
// takes several times as long to produce and to parse.
func readMemory() (anon, rss int64) {
	data, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 3 {
		return 0, 0
	}
	resident, _ := strconv.ParseInt(fields[1], 10, 64)
	ofFiles, _ := strconv.ParseInt(fields[2], 10, 64)
	page := int64(os.Getpagesize())
	return (resident - ofFiles) * page, resident * page
}

// readProcess reads the memory, the bytes moved by read and write calls, and the CPU time.
func readProcess() process {
	io := procFields("/proc/self/io")
	p := process{read: io["rchar"], written: io["wchar"]}
	p.anon, p.rss = readMemory()
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) == nil {
		p.cpu = seconds(ru.Utime) + seconds(ru.Stime)
	}
	return p
}

// ThreadSeconds returns the processor time of the calling thread.
func ThreadSeconds() float64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
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

// looks is the number of samples of FreeShare, since short tasks are not in every sample.
const looks = 3

// FreeShare returns about the share of the processors that some threads would get now, if all runnable
// threads of other processes get theirs.
func FreeShare(threads int) float64 {
	others := math.MaxInt
	for range looks {
		others = min(others, max(0, runnable()-runnableHere()))
	}
	return min(1, float64(runtime.NumCPU())/float64(others+min(threads, runtime.NumCPU())))
}

// runnable returns the number of runnable threads of the machine, 0 if unknown.
func runnable() int {
	data, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 4 {
		return 0
	}
	running, _, _ := strings.Cut(fields[3], "/")
	n, _ := strconv.Atoi(running)
	return n
}

// runnableHere returns how many of them belong to this process: garbage collectors, and readers that are just
// done.
func runnableHere() (n int) {
	threads, _ := filepath.Glob("/proc/self/task/*/stat")
	for _, path := range threads {
		data, _ := os.ReadFile(path)
		if end := bytes.LastIndexByte(data, ')'); end >= 0 && bytes.HasPrefix(data[end:], []byte(") R")) {
			n++
		}
	}
	return n
}

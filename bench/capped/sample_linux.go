package capped

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	memoryEvery = 10 * time.Millisecond
	diskEvery   = time.Second
)

// watch is the sampling of one process.
type watch struct {
	pid    atomic.Int64 // 0 before it has started
	group  *cgroup      // nil: none
	folder string
	phases *phases

	// Written by the samplers, read once they have ended.
	anon, rss, swap, usage int64
	samples                int
	gap                    time.Duration
	disk                   int64
}

// io are the bytes that the process has read and written so far.
func (w *watch) io() (read, written int64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", w.pid.Load()))
	if err != nil {
		return 0, 0
	}
	return field(data, "read_bytes"), field(data, "write_bytes")
}

// urgent is the niceness of the sampling thread: on a busy machine it would else
// sleep through peaks (gaps of 150 ms with 4 busy threads on 2 processors).
const urgent = -15

// memory samples until done is closed.
func (w *watch) memory(done <-chan struct{}) {
	runtime.LockOSThread() // for good: the thread ends with its priority
	syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), urgent)
	status := fmt.Sprintf("/proc/%d/status", w.pid.Load())
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for last := time.Now(); ; {
		if data, err := os.ReadFile(status); err == nil {
			w.sample(data)
			now := time.Now()
			w.gap, last = max(w.gap, now.Sub(last)), now
		}
		select {
		case <-done:
			return
		case <-tick.C:
		}
	}
}

// sample takes one look, status being that of the process, in kB.
func (w *watch) sample(status []byte) {
	anon := field(status, "RssAnon") << 10
	w.anon = max(w.anon, anon)
	w.rss = max(w.rss, field(status, "VmRSS")<<10)
	w.swap = max(w.swap, field(status, "VmSwap")<<10)
	var usage int64
	if w.group != nil {
		usage = w.group.usage()
	}
	w.usage = max(w.usage, usage)
	w.phases.note(anon, usage)
	w.samples++
}

// space measures the folder until done is closed, and once more.
func (w *watch) space(done <-chan struct{}) {
	if w.folder == "" {
		return
	}
	tick := time.NewTicker(diskEvery)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-tick.C:
		}
		w.disk = max(w.disk, allocated(w.folder))
	}
}

// allocated is the space that the files of a folder take, each once however many
// names it has. Files that vanish meanwhile take none.
func allocated(folder string) (bytes int64) {
	seen := map[[2]uint64]bool{}
	filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && !seen[[2]uint64{uint64(st.Dev), st.Ino}] {
			seen[[2]uint64{uint64(st.Dev), st.Ino}] = true
			bytes += 512 * st.Blocks
		}
		return nil
	})
	return bytes
}

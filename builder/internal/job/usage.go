package job

import (
	"sync"
	"time"

	"github.com/knng/knng/builder/internal/offheap"
)

// Usage sums up a build's time, memory and bytes over its runs.
type Usage struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	PeakAnon   int64   `json:"peak_anon"`
	PeakRSS    int64   `json:"peak_rss"`
	PeakDisk   int64   `json:"peak_disk"`
	ReadBytes  int64   `json:"read"`
	Written    int64   `json:"written"`
}

// process holds the operating system's measurements of this process. Unknown fields are zero, except anon,
// which is then the memory of the Go runtime.
type process struct {
	anon, rss, read, written int64
	cpu                      float64
}

// A meter samples this process every 50 ms until stop: often enough for peaks of buffers that live longer,
// rarely enough to cost nothing. It also measures the size of files, in at most a fiftieth of the time, and
// reports the memory to package offheap.
type meter struct {
	onDisk  func() int64 // bytes now
	mu      sync.Mutex
	began   time.Time
	first   process
	earlier Usage
	peak    Usage
	anon    int64 // the last seen
	bytes   int64 // on disk, likewise
	done    chan struct{}
}

func startMeter(earlier Usage, onDisk func() int64) *meter {
	m := &meter{onDisk: onDisk, began: time.Now(), first: readProcess(), earlier: earlier, done: make(chan struct{})}
	m.note(m.first.anon, m.first.rss)
	go m.watch()
	return m
}

func (m *meter) watch() {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var next time.Time // when to look at the disk
	for {
		select {
		case <-m.done:
			return
		case now := <-tick.C:
			m.sample()
			if now.After(next) {
				m.disk(m.onDisk())
				next = now.Add(50 * time.Since(now))
			}
		}
	}
}

func (m *meter) sample() {
	m.note(readMemory())
}

// note records the resident memory, anonymous and total.
func (m *meter) note(anon, rss int64) {
	offheap.Observe(anon)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.anon = anon
	m.peak.PeakAnon = max(m.peak.PeakAnon, anon)
	m.peak.PeakRSS = max(m.peak.PeakRSS, rss)
}

// disk records the size of the store's directory.
func (m *meter) disk(bytes int64) {
	if m == nil { // a run that only looks
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = bytes
	m.peak.PeakDisk = max(m.peak.PeakDisk, bytes)
}

// now returns the latest values of anonymous memory and disk.
func (m *meter) now() (memory, disk int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.anon, m.bytes
}

// total returns the usage of earlier runs and this one so far.
func (m *meter) total() Usage {
	p := readProcess()
	m.note(p.anon, p.rss)
	m.mu.Lock()
	defer m.mu.Unlock()
	return Usage{
		Seconds:    m.earlier.Seconds + time.Since(m.began).Seconds(),
		CPUSeconds: m.earlier.CPUSeconds + p.cpu - m.first.cpu,
		PeakAnon:   max(m.earlier.PeakAnon, m.peak.PeakAnon),
		PeakRSS:    max(m.earlier.PeakRSS, m.peak.PeakRSS),
		PeakDisk:   max(m.earlier.PeakDisk, m.peak.PeakDisk),
		ReadBytes:  m.earlier.ReadBytes + p.read - m.first.read,
		Written:    m.earlier.Written + p.written - m.first.written,
	}
}

func (m *meter) stop() { close(m.done) }

// Use measures the resources of work other than a build; onDisk returns its bytes on disk. used returns the
// usage so far, stop ends it. Until stop, onDisk is called from any goroutine.
func Use(onDisk func() int64) (used func() Usage, stop func()) {
	m := startMeter(Usage{}, onDisk)
	return func() Usage {
		m.disk(onDisk())
		return m.total()
	}, m.stop
}

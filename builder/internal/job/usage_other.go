//go:build !linux

package job

import (
	"time"

	"github.com/knng/knng/builder/internal/offheap"
)

// readMemory knows only the Go runtime's memory on this system.
func readMemory() (anon, rss int64) {
	held := offheap.GoBytes()
	return held, held
}

func readProcess() (p process) {
	p.anon, p.rss = readMemory()
	return p
}

var started = time.Now()

// ThreadSeconds returns the elapsed time: this system does not report the processor time of a thread.
func ThreadSeconds() float64 { return time.Since(started).Seconds() }

// FreeShare returns 1, since the load is unknown on this system.
func FreeShare(int) float64 { return 1 }

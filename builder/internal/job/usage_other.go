//go:build !linux

package job

import (
	"time"

	"github.com/knng/knng/builder/internal/offheap"
)

// readMemory knows only the Go runtime's memory here.
func readMemory() (anon, rss int64) {
	held := offheap.GoBytes()
	return held, held
}

func readProcess() (p process) {
	p.anon, p.rss = readMemory()
	return p
}

var started = time.Now()

// ThreadSeconds is the time that has gone by: the processor time of a thread is not told
// here.
func ThreadSeconds() float64 { return time.Since(started).Seconds() }

// FreeShare is not told here: all processors are taken to be free.
func FreeShare(int) float64 { return 1 }

//go:build !linux

package builder

import (
	"time"

	"github.com/knng/knng/builder/pages"
)

// readProcess knows only the Go runtime's memory here.
func readProcess() process {
	held := pages.GoBytes()
	return process{anon: held, rss: held}
}

// offeredMemory is unknown here: 8 GiB is what small machines of today have.
func offeredMemory() int64 { return 8 << 30 }

var started = time.Now()

// threadSeconds is the time that has gone by: the processor time of a thread is not told
// here.
func threadSeconds() float64 { return time.Since(started).Seconds() }

// freeShare is not told here: all processors are taken to be free.
func freeShare(int) float64 { return 1 }

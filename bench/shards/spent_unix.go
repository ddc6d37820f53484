//go:build unix

package shards

import (
	"syscall"
	"time"
)

// spent is the processor time of this process in seconds.
func spent() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return time.Since(started).Seconds()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

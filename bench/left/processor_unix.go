//go:build unix

package left

import (
	"syscall"
	"time"
)

// processor is the processor time of this process in seconds.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return wall()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

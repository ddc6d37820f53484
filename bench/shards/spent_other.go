//go:build !unix

package shards

import "time"

// spent is the time that has gone by: the processor time is not told here.
func spent() float64 { return time.Since(started).Seconds() }

// Package capped runs a command under a limit of memory that counts page cache,
// as a machine of that size would, and measures its resources.
//
// # The limit
//
// A memory cgroup of its own, version 1 or 2, whichever the machine has; swap is
// forbidden where the kernel can. The command is moved into it before it is
// executed, so all that it touches first is charged to it: anonymous memory, and
// pages of files that were not in the cache, for which Cold drops the cache.
// Pages that another process maps cannot be dropped and stay charged to that one:
// nobody else may be using the files. Making cgroups needs root.
//
// # Who measures
//
// The kernel counts, to the end of the process: processor time, major faults,
// bytes read and written (rusage, in blocks of 512 bytes; pages that became dirty
// count as written, dropped later or not), and the cgroup's peak. Every 10 ms
// RssAnon, VmRSS and VmSwap are sampled, of which the kernel keeps no maximum.
// Every second the folder is measured in blocks that are really
// allocated. Samples are of the process itself, the other numbers of its children
// too.
package capped

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrNoCgroup says that this machine, or this user, cannot limit memory.
var ErrNoCgroup = errors.New("capped: no memory cgroup can be made")

// Config is a command and the room it gets.
type Config struct {
	Args   []string // the command, looked up as a shell does
	Cap    int64    // bytes of memory, page cache counted; 0 is no limit
	Cold   bool     // drop the machine's page cache first (root)
	Nice   int      // added to the niceness
	Folder string   // its space on disk is watched; "" is none

	Timeout time.Duration // kills it; 0 is none
}

// Outcome is the resources that one run took.
type Outcome struct {
	Args   []string `json:"args"`
	Cap    int64    `json:"cap_bytes,omitempty"`
	Cgroup string   `json:"cgroup,omitempty"` // v1 or v2; "" where none could be made, and none was needed

	Exit     int    `json:"exit"`             // -1 where a signal ended it
	Signal   string `json:"signal,omitempty"` // which
	TimedOut bool   `json:"timed_out,omitempty"`
	OOMKills int64  `json:"oom_kills"` // processes that the kernel killed for their memory

	Seconds      float64 `json:"seconds"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	MajorFaults  int64   `json:"major_faults"`
	ReadBytes    int64   `json:"read_bytes"`
	WrittenBytes int64   `json:"written_bytes"`

	PeakAnon  int64 `json:"peak_anon_bytes"`
	PeakRSS   int64 `json:"peak_rss_bytes"`
	PeakSwap  int64 `json:"peak_swap_bytes"`
	PeakUsage int64 `json:"peak_usage_bytes"` // of the cgroup, page cache counted
	PeakDisk  int64 `json:"peak_disk_bytes"`
	Refused   int64 `json:"failcnt"` // times that the limit was met; Linux 6.18 leaves it at 0 under version 1

	Samples    int     `json:"samples"`
	LongestGap float64 `json:"longest_gap_seconds"` // between two samples

	Phases []Phase         `json:"phases,omitempty"`
	Result json.RawMessage `json:"result,omitempty"` // standard output, or its last line, where that is a JSON object
	Errors string          `json:"errors,omitempty"` // the end of standard error, less progress
}

// Run runs the command to its end, or to that of ctx, which kills it. A command
// that fails, or is killed, is an outcome and no error. Error to test: ErrNoCgroup.
func (c *Config) Run(ctx context.Context) (*Outcome, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("capped: no command")
	}
	return c.run(ctx)
}

// Failed reports whether the command did not succeed, and how.
func (o *Outcome) Failed() (how string, failed bool) {
	switch {
	case o.OOMKills > 0:
		return "killed: out of memory", true
	case o.TimedOut:
		return fmt.Sprintf("not done in %.0f s", o.Seconds), true
	case o.Signal != "":
		return "ended by " + o.Signal, true
	case o.Exit != 0:
		return fmt.Sprintf("exit %d", o.Exit), true
	}
	return "", false
}

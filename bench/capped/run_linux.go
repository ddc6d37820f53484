package capped

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

func (c *Config) run(ctx context.Context) (*Outcome, error) {
	group, err := newCgroup(c.Cap)
	if err != nil {
		if c.Cap > 0 {
			return nil, err
		}
		group = nil // its peak will be missing, no more
	} else {
		defer group.remove()
	}
	if c.Cold {
		if err := dropCaches(); err != nil {
			return nil, err
		}
	}
	w := &watch{group: group, folder: c.Folder}
	w.phases = newPhases(w.io)
	var out bytes.Buffer
	own, stop := context.WithCancel(ctx)
	defer stop()
	if c.Timeout > 0 {
		own, stop = context.WithTimeout(ctx, c.Timeout)
		defer stop()
	}
	cmd := c.command(own, group)
	cmd.Stdout, cmd.Stderr = &out, w.phases
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("capped: %w", err)
	}
	w.pid.Store(int64(cmd.Process.Pid))
	err = w.wait(cmd)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	timedOut := own.Err() != nil
	if ended := (*exec.ExitError)(nil); err != nil && !timedOut && !errors.As(err, &ended) {
		return nil, fmt.Errorf("capped: %w", err)
	}
	o := w.outcome(cmd.ProcessState)
	o.Args, o.Cap, o.Seconds = c.Args, c.Cap, time.Since(began).Seconds()
	o.TimedOut, o.Result = timedOut, lastObject(out.Bytes())
	return o, nil
}

// command moves a shell into the group, which then becomes the command.
func (c *Config) command(ctx context.Context, group *cgroup) *exec.Cmd {
	script := `exec "$@"`
	if c.Nice != 0 {
		script = fmt.Sprintf(`exec nice -n %d "$@"`, c.Nice)
	}
	procs := "/dev/null"
	if group != nil {
		procs = group.procs()
	}
	args := append([]string{"-c", `echo $$ > "$0" && ` + script, procs}, c.Args...)
	cmd := exec.CommandContext(ctx, "/bin/sh", args...)
	cmd.WaitDelay = 5 * time.Second // children may hold the pipes open
	return cmd
}

// wait waits for the command and samples meanwhile.
func (w *watch) wait(cmd *exec.Cmd) error {
	done := make(chan struct{})
	var samplers sync.WaitGroup
	samplers.Go(func() { w.memory(done) })
	samplers.Go(func() { w.space(done) })
	err := cmd.Wait()
	close(done)
	samplers.Wait()
	return err
}

// outcome puts the samples and the counts of the kernel and the cgroup together at the end.
func (w *watch) outcome(state *os.ProcessState) *Outcome {
	o := &Outcome{
		Exit:       state.ExitCode(),
		CPUSeconds: (state.UserTime() + state.SystemTime()).Seconds(),
		PeakAnon:   w.anon, PeakRSS: w.rss, PeakSwap: w.swap, PeakUsage: w.usage, PeakDisk: w.disk,
		Samples: w.samples, LongestGap: w.gap.Seconds(),
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.Signal = status.Signal().String()
	}
	if r, ok := state.SysUsage().(*syscall.Rusage); ok {
		o.MajorFaults, o.ReadBytes, o.WrittenBytes = int64(r.Majflt), 512*int64(r.Inblock), 512*int64(r.Oublock)
		o.PeakRSS = max(o.PeakRSS, int64(r.Maxrss)<<10)
	}
	if g := w.group; g != nil {
		o.Cgroup, o.OOMKills, o.Refused = g.version(), g.oomKills(), g.refused()
		o.PeakUsage = max(o.PeakUsage, g.peak())
	}
	o.Phases, o.Errors = w.phases.end(o.ReadBytes, o.WrittenBytes)
	return o
}

// dropCaches writes back dirty pages and drops those that nobody maps.
func dropCaches() error {
	syscall.Sync()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
		return fmt.Errorf("capped: page cache: %w", err)
	}
	return nil
}

// lastObject is all of the output, or its last line, if that is a JSON object.
func lastObject(out []byte) json.RawMessage {
	out = bytes.TrimSpace(out)
	lines := bytes.Split(out, []byte("\n"))
	for _, text := range [][]byte{out, lines[len(lines)-1]} {
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) == nil {
			return json.RawMessage(text)
		}
	}
	return nil
}

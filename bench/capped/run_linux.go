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
	cmd := c.command(ctx, group)
	cmd.Stdout, cmd.Stderr = &out, w.phases
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("capped: %w", err)
	}
	w.pid.Store(int64(cmd.Process.Pid))
	err = w.wait(cmd)
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		return nil, fmt.Errorf("capped: %w", err)
	}
	o := w.outcome(cmd.ProcessState)
	o.Args, o.Cap, o.Seconds = c.Args, c.Cap, time.Since(began).Seconds()
	o.Result = lastObject(out.Bytes())
	return o, context.Cause(ctx)
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

// outcome is what the samples, the kernel and the cgroup say at the end.
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
		o.MajorFaults, o.ReadBytes, o.WrittenBytes = r.Majflt, 512*r.Inblock, 512*r.Oublock
		o.PeakRSS = max(o.PeakRSS, r.Maxrss<<10)
	}
	if g := w.group; g != nil {
		o.Cgroup, o.OOMKills, o.Refused = g.version(), g.oomKills(), g.refused()
		o.PeakUsage = max(o.PeakUsage, g.peak())
	}
	o.Phases, o.Errors = w.phases.end(o.ReadBytes, o.WrittenBytes)
	return o
}

// dropCaches writes back what is dirty and drops what nobody maps.
func dropCaches() error {
	syscall.Sync()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
		return fmt.Errorf("capped: page cache: %w", err)
	}
	return nil
}

// lastObject is the last line, if it is a JSON object.
func lastObject(out []byte) json.RawMessage {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	last := lines[len(lines)-1]
	var object map[string]json.RawMessage
	if json.Unmarshal(last, &object) != nil {
		return nil
	}
	return json.RawMessage(last)
}

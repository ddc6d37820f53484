package torture

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// exitShort is the exit code of a graph below the recall that was asked for.
const exitShort = 4

// most is how much of an answer is kept.
const most = 4 << 20

// A result is how a command ended.
type result struct {
	Code   int // -1: killed, or by a signal of its own
	Stdout string
	Stderr string
	Hung   bool
}

// failed reports whether a command failed as commands should: by an error that it prints.
func (r *result) failed() bool { return r.Code > 0 && strings.TrimSpace(r.Stderr) != "" }

// panicked finds the traces of a process that ended otherwise.
func (r *result) panicked() bool {
	return r.Code < 0 || strings.Contains(r.Stderr, "goroutine ") || strings.Contains(r.Stderr, "fatal error:")
}

// run runs knng in a folder to its end, or until patience ends.
func (w *world) run(dir string, args ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), w.patience)
	defer cancel()
	return w.start(ctx, dir, nil, args...)
}

// start runs knng, behind another command where one is given (strace), until it ends or ctx does, which
// kills it.
func (w *world) start(ctx context.Context, dir string, behind []string, args ...string) (r result) {
	line := append(append([]string{}, behind...), append([]string{w.knng}, args...)...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "TMPDIR="+filepath.Join(w.base, "tmp"), "GOMAXPROCS=2")
	cmd.WaitDelay = time.Second
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{b: &out}, &limited{b: &err}
	_ = cmd.Run() // the code tells
	r.Code = -1
	if cmd.ProcessState != nil {
		r.Code = cmd.ProcessState.ExitCode()
	}
	r.Stdout, r.Stderr = out.String(), err.String()
	r.Hung = ctx.Err() == context.DeadlineExceeded && r.Code < 0
	return r
}

// limited keeps the first bytes of a stream.
type limited struct{ b *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := most - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

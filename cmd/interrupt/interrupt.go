// Package interrupt ends commands cleanly at a signal, with the exit code that
// shells expect. [Notify] is the one function that commands need.
package interrupt

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Exit codes after a clean stop.
const (
	HungUp      = 129 // SIGHUP: the terminal is gone
	Interrupted = 130 // SIGINT
	Terminated  = 143 // SIGTERM
)

// Signalled knows which signal came, if any.
type Signalled struct{ code atomic.Int32 }

// codes are the exit codes by signal.
var codes = map[os.Signal]int32{syscall.SIGHUP: HungUp, os.Interrupt: Interrupted, syscall.SIGTERM: Terminated}

// together is how long after the first signal others count as the same one: GNU timeout sends one to the process and one to
// its group.
const together = 200 * time.Millisecond

// Notify cancels the context at the first SIGINT, SIGTERM or SIGHUP; one that comes 200 ms later, or more, ends
// the process in the system's way. A SIGHUP that is ignored, as under nohup, stays so.
// stop gives signals back to the system, unless one came: the process is ending then.
func Notify() (ctx context.Context, s *Signalled, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	s = new(Signalled)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case sig := <-signals:
			s.code.Store(codes[sig])
			cancel()
			time.Sleep(together)
			signal.Stop(signals)
		case <-ctx.Done():
		}
	}()
	return ctx, s, func() {
		if s.code.Load() == 0 { // else a second signal, of those that count as one, would end the process on its way out
			signal.Stop(signals)
		}
		cancel()
	}
}

// Code is the exit code where err comes of the signal; ok is false where it comes
// of something else.
func (s *Signalled) Code(err error) (code int, ok bool) {
	code = int(s.code.Load())
	return code, code != 0 && errors.Is(err, context.Canceled)
}

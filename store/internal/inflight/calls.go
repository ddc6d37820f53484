// Package inflight counts the calls in progress, so that a Close can wait for them.
package inflight

import (
	"math"
	"sync"
	"sync/atomic"
)

// Calls counts the calls in progress. The zero value is ready for use. A read-write mutex
// would deadlock where the body of an iteration looks rows up while Close waits. Enter and
// Leave take no lock: a mutex here doubled the 0.2 µs of a lookup.
type Calls struct {
	state atomic.Int64 // calls in progress; plus shut once closed

	mu     sync.Mutex
	closed bool
	ended  *sync.Cond // signals that a call ended after Close
}

const shut = math.MinInt64

// Enter begins a call. It reports false after Close.
func (c *Calls) Enter() bool {
	if c.state.Add(1) > 0 {
		return true
	}
	c.Leave()
	return false
}

// Leave ends a call.
func (c *Calls) Leave() {
	if c.state.Add(-1) >= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		c.ended.Broadcast()
	}
}

// Close refuses further calls and waits for those in progress. It reports false if Close was
// called before.
func (c *Calls) Close() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.closed
	if !before {
		c.closed, c.ended = true, sync.NewCond(&c.mu)
		c.state.Add(shut)
	}
	for c.state.Load() != shut {
		c.ended.Wait()
	}
	return !before
}

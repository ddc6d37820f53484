package store

import "sync"

// calls counts the calls in progress, so that Close can wait for them. A
// read-write mutex would deadlock where an iteration's body looks rows up while
// Close waits.
type calls struct {
	mu      sync.Mutex
	running sync.WaitGroup
	closed  bool
}

// enter begins a call; it reports false after close.
func (c *calls) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.running.Add(1)
	return true
}

func (c *calls) leave() { c.running.Done() }

// close lets no more calls in and waits for those running. It reports false
// where it was called before.
func (c *calls) close() bool {
	c.mu.Lock()
	before := c.closed
	c.closed = true
	c.mu.Unlock()
	c.running.Wait()
	return !before
}

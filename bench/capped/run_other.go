//go:build !linux

package capped

import "context"

// run needs cgroups and /proc.
func (c *Config) run(context.Context) (*Outcome, error) { return nil, ErrNoCgroup }

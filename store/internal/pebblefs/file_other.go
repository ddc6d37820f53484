//go:build !linux

package pebblefs

// SyncData syncs the file.
func (f *file) SyncData() error { return f.Sync() }

// SyncTo does nothing.
func (f *file) SyncTo(int64) (full bool, err error) { return false, nil }

// Prefetch does nothing.
func (f *file) Prefetch(_, _ int64) error { return nil }

//go:build !linux

package groups

import "os"

// giveBack does nothing on this system: the space is free when the file is closed.
func giveBack(*os.File, int64, int64) {}

//go:build !linux

package builder

// readProcess knows only the Go runtime's memory here.
func readProcess() process {
	held := goMemory()
	return process{anon: held, rss: held}
}

// offeredMemory is unknown here: 8 GiB is what small machines of today have.
func offeredMemory() int64 { return 8 << 30 }

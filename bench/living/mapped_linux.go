package living

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// dropMapped gives back the pages of all mappings of files below a folder.
func dropMapped(dir string) error {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	for line := range bytes.Lines(maps) {
		fields := strings.Fields(string(line))
		if len(fields) < 6 || !strings.Contains(fields[5], dir) {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err := strconv.ParseUint(from, 16, 64)
		if err != nil {
			return err
		}
		end, err := strconv.ParseUint(to, 16, 64)
		if err != nil {
			return err
		}
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, uintptr(start), uintptr(end-start), unix.MADV_DONTNEED); errno != 0 {
			return errno
		}
	}
	return nil
}

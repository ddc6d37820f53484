package offered

import (
	"slices"
	"testing"
)

// TestMemoryLimits: a process is limited by its own groups and by all around them.
func TestMemoryLimits(t *testing.T) {
	for _, c := range []struct {
		groups string
		want   []string
	}{
		{"0::/user.slice/run-1.scope\n", []string{
			"/sys/fs/cgroup/user.slice/run-1.scope/memory.max", "/sys/fs/cgroup/user.slice/memory.max", "/sys/fs/cgroup/memory.max",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes"}},
		{"5:cpu,memory:/job\n4:cpuset:/other\n", []string{
			"/sys/fs/cgroup/memory.max",
			"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}},
		{"", []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}},
		{"0::/../..\nnonsense", []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}},
	} {
		if got := memoryLimits(c.groups); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.groups, got, c.want)
		}
	}
}

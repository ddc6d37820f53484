package builder

import (
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
)

// ShardsPlan is an estimate of a build by shards.
type ShardsPlan struct {
	Workers int `json:"workers"`
	Threads int `json:"threads"` // of each

	CoreSeconds    float64 `json:"core_seconds"`
	ComputeSeconds float64 `json:"compute_seconds"` // if all workers are always busy
	DiskSeconds    float64 `json:"disk_seconds"`    // likewise, if each reads and writes DiskRate

	ReadBytes       int64 `json:"read_bytes"`
	WrittenBytes    int64 `json:"written_bytes"`
	PeakDiskBytes   int64 `json:"peak_disk_bytes"` // of the run, beside the input
	WorkerReadBytes int64 `json:"worker_read_bytes"`
}

// DiskRate is the bytes a second that a plan gives each worker.
const DiskRate = 500e6

// PlanShards estimates the build of a plan by workers of some threads each, as fast as those
// of this machine.
func PlanShards(p *plan.Plan, rowBytes, workers, threads int) ShardsPlan {
	n, k := p.Rows, int64(p.K)
	divisions := int64(p.Divisions+job.Overlap-1) / job.Overlap
	input := n * int64(rowBytes)
	spilled := n * job.Overlap * int64(groups.RecordBytes(job.Overlap, rowBytes))
	assigned := 4 * n * job.Overlap
	lists := n * (8 + 8*k)
	s := ShardsPlan{Workers: workers, Threads: threads, CoreSeconds: p.CPUSeconds}
	// A division reads the input twice, and assignments, records and lists once; it writes
	// these. The first one leaves lists of every group, later ones the few that bounds let in.
	found := 3 * lists
	s.ReadBytes = 3*input + divisions*(2*input+assigned+spilled+lists) + found + 2*lists
	s.WrittenBytes = divisions*(assigned+spilled+lists) + found + lists
	s.PeakDiskBytes = assigned + spilled + found + lists
	s.ComputeSeconds = s.CoreSeconds / float64(workers*threads)
	s.DiskSeconds = float64(s.ReadBytes+s.WrittenBytes) / DiskRate / float64(workers)
	s.WorkerReadBytes = s.ReadBytes / int64(workers)
	return s
}

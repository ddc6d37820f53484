package shards

import (
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/plan"
)

// Plan is an estimate of a build by shards.
type Plan struct {
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

// PlanOf estimates the build of a plan by workers of some threads each, as fast as those of this
// machine.
func PlanOf(p *plan.Plan, rowBytes, workers, threads int) Plan {
	n, k, divisions := float64(p.Rows), float64(p.K), float64((p.Divisions+job.Overlap-1)/job.Overlap)
	input := n * float64(rowBytes)
	assigned := 4 * n * job.Overlap
	spilled := p.InGroups * n * float64(groups.RecordBytes(job.Overlap, rowBytes))
	lists := n * (8 + 8*k)
	// The first division finds lists of every group, later ones the few entries that bounds let in.
	first, later := p.InGroups*lists, plan.LaterUnits*p.InGroups*lists
	found := first + max(0, divisions-1)*later
	s := Plan{Workers: workers, Threads: threads, CoreSeconds: p.CPUSeconds}
	// A division reads the input twice, its assignments and records once, the lists that it found
	// twice, as a task sorts them by range in its scratch folder, and folds these with those before.
	// The input is read for its audit, for controls and for the report; the adjacency is read for its sums.
	s.ReadBytes = int64((3+2*divisions)*input + divisions*(assigned+spilled) + 2*found + divisions*lists + n*8*k)
	s.WrittenBytes = int64(divisions*(assigned+spilled+lists) + 2*found + n*8*k)
	s.PeakDiskBytes = int64(assigned + spilled + max(first+lists, min(1, divisions-1)*(later+2*lists)))
	s.ComputeSeconds = s.CoreSeconds / float64(workers*threads)
	s.DiskSeconds = float64(s.ReadBytes+s.WrittenBytes) / DiskRate / float64(workers)
	s.WorkerReadBytes = s.ReadBytes / int64(workers)
	return s
}

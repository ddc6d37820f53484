package shards

import (
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/plan"
)

// Plan is an estimate of a build by shards.
type Plan struct {
	Workers int `json:"workers"`
	Threads int `json:"threads"` // of each

	Stages         []plan.Stage `json:"stages"`
	CoreSeconds    float64      `json:"core_seconds"`    // of all stages
	ComputeSeconds float64      `json:"compute_seconds"` // if all workers are always busy
	AwaitedSeconds float64      `json:"awaited_seconds"` // if a stage begins after all tasks of the one before, which take equally long
	DiskSeconds    float64      `json:"disk_seconds"`    // of reading and writing, if each worker has DiskRate

	ReadBytes       int64 `json:"read_bytes"`
	WrittenBytes    int64 `json:"written_bytes"`
	PeakDiskBytes   int64 `json:"peak_disk_bytes"` // of the run, beside the input
	WorkerReadBytes int64 `json:"worker_read_bytes"`

	TaskBytes  int64 `json:"task_bytes"`  // memory with which every task of one thread can run; blocks that grow with the rows are in files if they do not fit
	UniteBytes int64 `json:"unite_bytes"` // likewise of knng unite
}

// DiskRate is the bytes per second that a plan assumes for the disk of each worker.
const DiskRate = 500e6

// taskSeconds is the cost of a task without work: it opens files, and writes one. With 50,000 rows in 192
// tasks it is 0.2 of 0.9 s.
const taskSeconds = 0.0015

// specOf is the spec of a plan, cut as it is by default.
func specOf(p *plan.Plan) *runSpec {
	spec := new(runSpec)
	spec.Manifest.Rows, spec.Manifest.K = int(p.Rows), max(1, p.K)
	_ = spec.cut(Cut{}) // of defaults: no error
	return spec
}

// tasks is how many tasks stages have, those of divisions in each; of a stage that is not here, one.
func (s *runSpec) tasks(p *plan.Plan) map[string]int {
	tasks := map[string]int{"lead": (p.Basis.Shape.Parts.Leaders + leadRange - 1) / leadRange, "solve": min(s.Solvers, p.Groups())}
	for _, stage := range []string{"audit", "sample", "controls", "near", "draw", "assign", "spill", "resample", "report", "complete"} {
		tasks[stage] = s.shards()
	}
	for _, stage := range []string{"fold", "adjacency"} {
		tasks[stage] = (int(p.Rows) + s.Range - 1) / s.Range
	}
	return tasks
}

// PlanOf estimates the build of p by so many workers, of so many threads each, with processors as fast as
// this machine's. rowBytes is the size of a row.
func PlanOf(p *plan.Plan, rowBytes, workers, threads int) Plan {
	overlap := p.Basis.Shape.Overlap
	n, k, divisions := float64(p.Rows), float64(p.K), float64((p.Divisions+overlap-1)/overlap)
	input := n * float64(rowBytes)
	assigned := 4 * n * float64(overlap)
	spilled := p.InGroups * n * float64(groups.RecordBytes(overlap, rowBytes))
	lists := n * (8 + 8*k)
	// The first division finds lists of every group, later ones the few entries that bounds let in.
	first, later := p.InGroups*lists, plan.LaterUnits*p.InGroups*lists
	found := first + max(0, divisions-1)*later
	s := Plan{Workers: workers, Threads: threads, Stages: p.Stages()}
	spec := specOf(p)
	tasks := spec.tasks(p)
	for i := range s.Stages {
		stage := &s.Stages[i]
		count := max(1, tasks[stage.Name])
		stage.CPUSeconds += taskSeconds * stage.Times * float64(count)
		s.CoreSeconds += stage.CPUSeconds
		rounds := (count + workers*threads - 1) / (workers * threads)
		s.AwaitedSeconds += stage.CPUSeconds * float64(rounds) / float64(count)
	}
	// A division reads the input twice, its assignments and records once, the lists that it found
	// twice, as a task sorts them by range in its scratch folder, and folds these with those before.
	// The input is read for its audit, for controls and for the report; the adjacency is read for its sums.
	s.ReadBytes = int64((3+2*divisions)*input + divisions*(assigned+spilled) + 2*found + divisions*lists + n*8*k)
	s.WrittenBytes = int64(divisions*(assigned+spilled+lists) + 2*found + n*8*k)
	s.PeakDiskBytes = int64(assigned + spilled + max(first+lists, min(1, divisions-1)*(later+2*lists)))
	s.ComputeSeconds = s.CoreSeconds / float64(workers*threads)
	s.DiskSeconds = float64(s.ReadBytes+s.WrittenBytes) / DiskRate / float64(workers)
	s.WorkerReadBytes = s.ReadBytes / int64(workers)
	for stage := range kinds {
		s.TaskBytes = max(s.TaskBytes, least(spec.needs(stage, &p.Basis.Shape, 1)))
	}
	s.UniteBytes = least(spec.uniteNeeds())
	return s
}

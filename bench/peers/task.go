package peers

import (
	"encoding/json"

	"github.com/knng/knng/bench/runlog"
	"github.com/knng/knng/builder"
)

// A Setting is one way to run a side: Ours, with flags of "knng build" ("kernel"
// being KNNG_KERNEL), or a peer, with parameters as scripts/peer.py takes them.
type Setting struct {
	Peer       string         `json:"peer"`
	Parameters map[string]any `json:"parameters"`
}

// Task names a run.
type Task struct {
	Set     string `json:"set"`  // name of the data
	Rows    int    `json:"rows"` // the first of them
	K       int    `json:"k"`
	Threads int    `json:"threads"`
	Setting
	Repeat int `json:"repeat"` // 0, 1, ...
}

// Point is a task and its outcome.
type Point struct {
	Task
	Recall        builder.RecallEstimate `json:"recall"`
	MemorySeconds float64                `json:"memory_seconds"` // rows in memory to lists in memory
	FileSeconds   float64                `json:"file_seconds"`   // file to finished store or saved lists
	CPUSeconds    float64                `json:"cpu_seconds"`
	PeakRSS       int64                  `json:"peak_rss_bytes"`
	Error         string                 `json:"error,omitempty"`

	// Of ours alone.
	Build *Build `json:"build,omitempty"`

	// Of brute force: the BLAS, and its rate at 2*dim operations a pair. Where it was
	// timed on a sample of rows the seconds are scaled to all of them.
	BLAS    string  `json:"blas,omitempty"`
	GFlops  float64 `json:"gflops,omitempty"`
	Sampled int     `json:"sampled_rows,omitempty"`

	TookSeconds float64 `json:"took_seconds"` // all of the run, judging too
	Date        string  `json:"date"`
	Machine     Machine `json:"machine"`
}

// Build is a build's report.
type Build struct {
	Method      builder.Method         `json:"method"`
	Kernel      string                 `json:"kernel"`
	Dim         int                    `json:"dim"`
	Type        string                 `json:"type"`
	Comparisons int64                  `json:"comparisons"` // controls' too
	ScanRate    float64                `json:"scan_rate"`
	Phases      []builder.PhaseSeconds `json:"phases"`
	PeakAnon    int64                  `json:"peak_anon_bytes"`
	Checksum    string                 `json:"checksum"`
}

// Rate is comparisons a second, from rows to lists.
func (p Point) Rate() float64 {
	if p.Build == nil || p.MemorySeconds == 0 {
		return 0
	}
	return float64(p.Build.Comparisons) / p.MemorySeconds
}

// Side is the side of a setting: a peer, or knng by some method, in some
// arithmetic.
func (s Setting) Side() string {
	side := s.Peer
	for _, name := range []string{"method", "kernel"} {
		if value, ok := s.Parameters[name].(string); ok && s.Peer == Ours {
			side += " " + value
		}
	}
	return side
}

// key names a task in a log: maps are written in the order of their keys.
func (t Task) key() string { return keyOf(t) }

// key names a setting.
func (s Setting) key() string { return keyOf(s) }

func keyOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // parameters are numbers, strings and booleans of grids
	}
	return string(b)
}

// Log keeps points.
type Log = runlog.Log[string, Point]

// OpenLog opens the file of points at path, "" keeping them in memory alone.
func OpenLog(path string) (*Log, error) {
	return runlog.Open(path, func(p Point) string { return p.key() })
}

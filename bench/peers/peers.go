// Package peers runs knng and other builders of k-NN graphs in turn on the same
// rows and cores, judges all lists by one code, and compares times at equal
// recall. The peers are Python packages: scripts/requirements.txt pins them.
package peers

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Config says what to run.
type Config struct {
	Data, Truth, Rows string
	K, Threads        int
	Repeats           int
	Python            string   // an interpreter that has the requirements
	Scripts           string   // folder of peer.py
	Knng              string   // binary
	Scratch           string   // folder
	Only              []string // peers; none is all
}

// Ours names knng among the peers.
const Ours = "knng"

// Point is one run.
type Point struct {
	Setting
	Recall        builder.RecallEstimate `json:"recall"`
	MemorySeconds float64                `json:"memory_seconds"` // rows in memory to lists in memory
	FileSeconds   float64                `json:"file_seconds"`   // file to finished store or saved lists
	CPUSeconds    float64                `json:"cpu_seconds"`
	PeakRSS       int64                  `json:"peak_rss_bytes"`
	Error         string                 `json:"error,omitempty"`
}

// runner holds what all runs share.
type runner struct {
	*Config
	judge *judge.Judge
	rows  *vectors.Rows
	dir   string
}

// Run runs everything Repeats times, one after the other, knng between the
// peers, and tells each outcome to done.
func (c *Config) Run(done func(Point)) error {
	dir, err := os.MkdirTemp(c.Scratch, "peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in, err := vectors.Open([]string{c.Data}, &vectors.OpenOptions{Scratch: dir})
	if err != nil {
		return err
	}
	defer in.Close()
	rows, ok := in.Mapped()
	if !ok {
		return fmt.Errorf("peers: %s cannot be mapped", c.Data)
	}
	j, err := judge.New(c.Truth, c.Rows, rows.Len(), distance.Euclidean)
	if err != nil {
		return err
	}
	r := &runner{c, j, rows, dir}
	for range c.Repeats {
		r.once(done)
	}
	return nil
}

// once runs every setting once.
func (r *runner) once(done func(Point)) {
	for _, target := range Targets {
		if r.wanted(Ours) {
			done(r.ours(target))
		}
	}
	for _, s := range Grid(r.rows.Len()) {
		if r.wanted(s.Peer) {
			done(r.peer(s))
		}
	}
}

func (r *runner) wanted(peer string) bool { return len(r.Only) == 0 || slices.Contains(r.Only, peer) }

// afterLists are the phases of a build once its lists are in memory.
var afterLists = []string{"fold", "adjacency", "checksum", "recall", "seal"}

// ours builds a store and measures it.
func (r *runner) ours(target float64) Point {
	p := Point{Setting: Setting{Ours, map[string]any{"recall": target}}}
	out := filepath.Join(r.dir, "graph.knng")
	defer os.RemoveAll(out)
	cmd := exec.Command(r.Knng, "build", r.Data, "-o", out, "-k", fmt.Sprint(r.K), "--recall", fmt.Sprint(target),
		"--threads", fmt.Sprint(r.Threads), "--json", "--quiet")
	began := time.Now()
	line, err := output(cmd)
	p.FileSeconds = time.Since(began).Seconds()
	if err != nil {
		return p.failed(err)
	}
	var res builder.Result
	if err := json.Unmarshal(line, &res); err != nil {
		return p.failed(err)
	}
	for _, phase := range res.Phases {
		if !slices.Contains(afterLists, phase.Name) {
			p.MemorySeconds += phase.Seconds
		}
	}
	p.CPUSeconds, p.PeakRSS = res.CPUSeconds, res.PeakRSSBytes
	s, err := store.Open(out, nil)
	if err != nil {
		return p.failed(err)
	}
	defer s.Close()
	if p.Recall, err = r.judge.Store(s); err != nil {
		return p.failed(err)
	}
	return p
}

// peer runs a peer and measures its lists.
func (r *runner) peer(s Setting) Point {
	p := Point{Setting: s}
	parameters, err := json.Marshal(s.Parameters)
	if err != nil {
		return p.failed(err)
	}
	out := filepath.Join(r.dir, "lists.ibin")
	defer os.Remove(out)
	cmd := exec.Command(r.Python, filepath.Join(r.Scripts, "peer.py"), s.Peer, r.Data, fmt.Sprint(r.K), fmt.Sprint(r.Threads), string(parameters), out)
	line, err := output(cmd)
	if err != nil {
		return p.failed(err)
	}
	if err := json.Unmarshal(line, &p); err != nil {
		return p.failed(err)
	}
	lists, width, err := ReadLists(out, r.rows.Len())
	if err != nil {
		return p.failed(err)
	}
	p.Recall, err = r.judge.Ids(r.K, r.rows, func(row uint32) []int32 { return lists[int(row)*width : (int(row)+1)*width] })
	if err != nil {
		return p.failed(err)
	}
	return p
}

func (p Point) failed(err error) Point {
	p.Error = err.Error()
	return p
}

// output is the last line that a command prints.
func output(cmd *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		text := strings.TrimSpace(errs.String())
		return nil, fmt.Errorf("%w: %s", err, text[max(0, len(text)-300):])
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return lines[len(lines)-1], nil
}

// ReadLists reads the lists that peer.py saves, of n rows: u32 n, u32 width, n *
// width int32 neighbors.
func ReadLists(path string, n int) (lists []int32, width int, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	if len(data) < 8 || int(binary.LittleEndian.Uint32(data)) != n {
		return nil, 0, fmt.Errorf("peers: %s does not hold %d lists", path, n)
	}
	width = int(binary.LittleEndian.Uint32(data[4:]))
	if len(data) != 8+4*n*width {
		return nil, 0, fmt.Errorf("peers: %s has %d bytes, want %d", path, len(data), 8+4*n*width)
	}
	lists = make([]int32, n*width)
	_, err = binary.Decode(data[8:], binary.LittleEndian, lists)
	return lists, width, err
}

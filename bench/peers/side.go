package peers

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
)

// Ours names knng among the peers.
const Ours = "knng"

// flags are those of a build, and its environment.
func flags(parameters map[string]any) (args, env []string) {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if name == "kernel" {
			env = append(env, fmt.Sprintf("KNNG_KERNEL=%v", parameters[name]))
			continue
		}
		args = append(args, "--"+name, fmt.Sprint(parameters[name]))
	}
	return args, env
}

// ours builds a store and measures it.
func (r *Runner) ours(ctx context.Context, p *Point, j *judge.Judge) error {
	out := r.path("graph.knng")
	defer os.RemoveAll(out)
	args, env := flags(p.Parameters)
	args = append([]string{"build", r.set.Path, "-o", out, "-k", fmt.Sprint(p.K), "--threads", fmt.Sprint(p.Threads),
		"--limit-rows", fmt.Sprint(r.set.Limit), "--json", "--quiet"}, args...)
	cmd := exec.CommandContext(ctx, r.Knng, args...)
	cmd.Env = append(os.Environ(), env...)
	began := time.Now()
	object, err := output(cmd)
	p.FileSeconds = time.Since(began).Seconds()
	if err != nil {
		return err
	}
	if err := p.read(object); err != nil {
		return err
	}
	s, err := store.Open(out, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	p.Recall, err = j.Store(s)
	return err
}

// read takes over the report of a build.
func (p *Point) read(object []byte) error {
	var res builder.Result
	if err := json.Unmarshal(object, &res); err != nil {
		return err
	}
	for _, phase := range res.Phases {
		if judge.ToLists(res.Method, phase.Name) {
			p.MemorySeconds += phase.Seconds
		}
	}
	p.CPUSeconds, p.PeakRSS = res.CPUSeconds, res.PeakRSSBytes
	p.Build = &Build{Method: res.Method, Kernel: res.Kernel, Dim: res.Dim, Type: res.Type,
		Comparisons: res.Comparisons + res.ControlPairs, ScanRate: res.ScanRate,
		Phases: res.Phases, PeakAnon: res.PeakAnonBytes, Checksum: res.Checksum}
	return nil
}

// peer runs a peer and measures its lists. A brute force that looked at some rows
// only has none.
func (r *Runner) peer(ctx context.Context, p *Point, j *judge.Judge) error {
	file := r.path("lists.ibin")
	defer os.Remove(file)
	cmd := exec.CommandContext(ctx, r.Python, filepath.Join(r.Scripts, "peer.py"), p.Peer, r.set.Path,
		fmt.Sprint(p.K), fmt.Sprint(p.Threads), keyOf(p.Parameters), file, fmt.Sprint(r.set.Limit))
	out, err := output(cmd)
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n")) // libraries may have said something before
	if err := json.Unmarshal(lines[len(lines)-1], p); err != nil {
		return err
	}
	if p.Sampled > 0 {
		p.Recall.Recall = 1
		return nil
	}
	lists, width, err := ReadLists(file, r.rows.Len())
	if err != nil {
		return err
	}
	p.Recall, err = j.Ids(p.K, r.rows, func(row uint32) []int32 { return lists[int(row)*width : (int(row)+1)*width] })
	return err
}

// output is the output of a command; its error has the text of standard error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		text := strings.TrimSpace(errs.String())
		return nil, fmt.Errorf("%w: %s", err, text[max(0, len(text)-300):])
	}
	return out, nil
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

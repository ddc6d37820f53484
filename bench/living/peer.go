package living

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/knng/knng/vectors"
)

//go:embed peer.py
var script string

// A peer is an index in a Python process, which answers a line "EFFORT THREADS" with a line of
// JSON.
type peer struct {
	which string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	reply reply // when it was made
}

// A reply is a line of the process.
type reply struct {
	Error   string  `json:"error"`
	Made    float64 `json:"made"`
	CPU     float64 `json:"processor"`
	Recall  float64 `json:"recall"`
	Seconds float64 `json:"seconds"`
}

// peer begins a process and waits until its index is made, or read back.
func (c Config) peer(ctx context.Context, name string, ours *knng) (*peer, error) {
	last := c.path(fmt.Sprintf("last-%d-%d.npy", ours.queries.Len(), c.K))
	rows, queries := c.kept("rows.npy"), c.path(fmt.Sprintf("queries-%d.npy", ours.queries.Len()))
	if err := c.copyRows(rows, c.Base, c.Limit); err != nil {
		return nil, err
	}
	if err := c.copyRows(queries, c.Queries, c.Count); err != nil {
		return nil, err
	}
	if err := ours.writeLast(last); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, c.Python, "-c", script, name, rows, queries, last, strconv.Itoa(c.K), c.kept(name))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &peer{which: name, cmd: cmd, in: in, out: bufio.NewReader(out)}
	r, err := p.read()
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	p.reply = r
	return p, nil
}

// copyRows writes rows as .npy, which Python maps.
func (c Config) copyRows(to, from string, limit int) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	in, err := vectors.Open([]string{from}, &vectors.OpenOptions{Limit: limit, Scratch: c.Work})
	if err != nil {
		return err
	}
	defer in.Close()
	w, err := vectors.Create(to, in.Type(), in.Dim())
	if err != nil {
		return err
	}
	if err := vectors.Convert(w, in, nil); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// writeLast writes the distance of every query's last exact result, within which a result
// counts.
func (s *knng) writeLast(path string) error {
	w, err := vectors.Create(path, vectors.Float32, 1)
	if err != nil {
		return err
	}
	for _, list := range s.exact {
		if err := w.AppendFloat32([]float32{list[len(list)-1].Distance}, ""); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	return w.Close()
}

func (p *peer) read() (r reply, err error) {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return r, fmt.Errorf("the process ended: %w", err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("it says %q: %w", line, err)
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

func (p *peer) name() string                       { return p.which }
func (p *peer) made() (seconds, processor float64) { return p.reply.Made, p.reply.CPU }

func (p *peer) answer(_ context.Context, effort, threads int) (recall, seconds, comparisons float64, err error) {
	if _, err := fmt.Fprintf(p.in, "%d %d\n", effort, threads); err != nil {
		return 0, 0, 0, err
	}
	r, err := p.read()
	return r.Recall, r.Seconds, 0, err
}

func (p *peer) close() error {
	p.in.Close()
	return p.cmd.Wait()
}

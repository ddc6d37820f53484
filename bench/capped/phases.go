package capped

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// Phase is the resources of one phase of a build, as knng's --progress json names them.
// Bytes are attributed by the moment at which a phase's name arrives.
type Phase struct {
	Name         string  `json:"name"`
	Seconds      float64 `json:"seconds"`
	ReadBytes    int64   `json:"read_bytes"`
	WrittenBytes int64   `json:"written_bytes"`
	PeakAnon     int64   `json:"peak_anon_bytes"`
	PeakUsage    int64   `json:"peak_usage_bytes"` // of the cgroup
}

// between names the time outside all phases.
const between = "(between)"

// phases follows a process through its phases. It is the process's standard
// error: lines that are no progress are kept, the last of them.
type phases struct {
	io func() (read, written int64) // so far; 0, 0 where it cannot be told

	mu      sync.Mutex
	line    []byte
	errors  []byte
	all     []Phase
	began   time.Time // of the last of all
	read    int64     // before it
	written int64
}

func newPhases(io func() (read, written int64)) *phases {
	return &phases{io: io, all: []Phase{{Name: between}}, began: time.Now()}
}

// Write takes standard error in.
func (p *phases) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line = append(p.line, data...)
	for {
		line, rest, found := bytes.Cut(p.line, []byte("\n"))
		if !found {
			return len(data), nil
		}
		p.take(line)
		p.line = rest
	}
}

// keptErrors is how much of standard error an outcome tells.
const keptErrors = 4000

func (p *phases) take(line []byte) {
	var e struct {
		Phase *string
		End   bool
	}
	if json.Unmarshal(line, &e) != nil || e.Phase == nil {
		p.errors = append(append(p.errors, line...), '\n')
		p.errors = p.errors[max(0, len(p.errors)-keptErrors):]
		return
	}
	name := *e.Phase
	switch {
	case name == "":
		return // a message that belongs to no phase
	case e.End:
		name = between
	}
	if name != p.all[len(p.all)-1].Name {
		p.close()
		p.all = append(p.all, Phase{Name: name})
	}
}

// close accounts for the last phase up to now.
func (p *phases) close() {
	read, written := p.io()
	last := &p.all[len(p.all)-1]
	last.Seconds = time.Since(p.began).Seconds()
	last.ReadBytes, last.WrittenBytes = max(0, read-p.read), max(0, written-p.written)
	p.began, p.read, p.written = time.Now(), max(read, p.read), max(written, p.written)
}

// note is told of a sample.
func (p *phases) note(anon, usage int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := &p.all[len(p.all)-1]
	last.PeakAnon, last.PeakUsage = max(last.PeakAnon, anon), max(last.PeakUsage, usage)
}

// end returns all phases, none where there were no names, and the other lines of standard
// error. read and written are the process's final counts.
func (p *phases) end(read, written int64) ([]Phase, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.io = func() (int64, int64) { return read, written }
	p.close()
	if len(p.all) == 1 {
		p.all = nil
	}
	return p.all, string(append(p.errors, p.line...))
}

// Merged adds up phases of one kind: those whose names differ in numbers alone.
// They come in the order of their first.
func Merged(all []Phase) (merged []Phase) {
	at := map[string]int{}
	for _, p := range all {
		p.Name = kind(p.Name)
		i, ok := at[p.Name]
		if !ok {
			at[p.Name] = len(merged)
			merged = append(merged, p)
			continue
		}
		m := &merged[i]
		m.Seconds += p.Seconds
		m.ReadBytes += p.ReadBytes
		m.WrittenBytes += p.WrittenBytes
		m.PeakAnon, m.PeakUsage = max(m.PeakAnon, p.PeakAnon), max(m.PeakUsage, p.PeakUsage)
	}
	return merged
}

// kind is a phase's name without numbers: "division 3: carve" is "division: carve".
func kind(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
	return strings.ReplaceAll(strings.Join(strings.Fields(name), " "), " :", ":")
}

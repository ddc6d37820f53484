package plan

// A Plan is the expected cost of a build.
type Plan struct {
	Method    string  `json:"method"`
	Rows      int64   `json:"rows"` // that get a list
	Dim       int     `json:"dim"`
	K         int     `json:"k"`
	Divisions int     `json:"divisions"` // with balls and parts: leaves that a row stands in
	Rounds    float64 `json:"rounds"`    // of propagation; a round may be cut short
	Recall    float64 `json:"recall"`    // the target that divisions and rounds are guessed for; 0 where they are as asked

	Passes        []Pass  `json:"passes"`
	PeakAnonBytes int64   `json:"peak_anon_bytes"` // memory of the process without mapped files
	PeakDiskBytes int64   `json:"peak_disk_bytes"` // store and scratch, beyond the source, without the files of Search
	ReadBytes     int64   `json:"read_bytes"`      // from files, mapped ones too
	WrittenBytes  int64   `json:"written_bytes"`
	Seconds       float64 `json:"seconds,omitempty"`       // 0: the machine was not measured
	CPUSeconds    float64 `json:"cpu_seconds,omitempty"`   // of all threads
	LinksSeconds  float64 `json:"links_seconds,omitempty"` // that the links of search take after the build, not counted above
	Rates         *Rates  `json:"rates,omitempty"`         // as they were measured
	InGroups      float64 `json:"in_groups,omitempty"`     // with parts: groups of leaves that a row is in, in each division; 0 under inner products

	// Search is the files that searches keep; nil where there are none.
	Search *SearchFiles `json:"search,omitempty"`

	// After is the seconds of other work after the build; the time left (Left) includes them.
	After float64 `json:"-"`
	Basis *Basis  `json:"-"` // nil for a plan that was read from a file

	// LimitBytes is the memory limit that builder.Plan planned for, LeastBytes the smallest limit under
	// which a build begins. The latter includes the measuring for a plan, so it may exceed the peak.
	LimitBytes int64 `json:"limit_bytes,omitempty"`
	LeastBytes int64 `json:"least_bytes,omitempty"`
}

// A Basis is all that a plan was made of.
type Basis struct {
	Shape Shape
	Rates Rates
	Aim   Aim    // of a build that stops at a recall
	Stand *Stand // of the stages that are done; nil: none is
}

// A Pass is one pass over the data, or several of the same kind.
type Pass struct {
	Name         string  `json:"name"`
	Does         string  `json:"does"`              // for people
	Times        float64 `json:"times"`             // how often
	ReadBytes    int64   `json:"read_bytes"`        // all times together
	WrittenBytes int64   `json:"written_bytes"`     // all times together
	AnonBytes    int64   `json:"anon_bytes"`        // anonymous memory while it runs
	DiskBytes    int64   `json:"disk_bytes"`        // on disk beyond the source while it runs, at most
	Seconds      float64 `json:"seconds,omitempty"` // all times together
	First        float64 `json:"first,omitempty"`   // how many times as long as the others the first time takes; 0 is 1

	work   work
	held   memory
	groups memory // of held: blocks of groups of leaves, which a ledger gives
}

// memory is the memory of a pass. Large blocks are outside Go's heap (package offheap)
// and cost their size; objects on the heap cost as much again in garbage, because
// the collector waits until the heap has doubled. ledger counts the blocks among mapped that come
// out of the room of Shape.Parts.Ledger.
type memory struct{ mapped, heap, ledger float64 }

// mappedFrom is the size from which package offheap maps a block outside the heap.
const mappedFrom = 1 << 20

// block adds a block of package offheap.
func (m *memory) block(bytes float64) {
	if bytes >= mappedFrom {
		m.mapped += bytes
	} else {
		m.heap += bytes
	}
}

// Pass is the pass of a name, nil where there is none.
func (p *Plan) Pass(name string) *Pass {
	for i := range p.Passes {
		if p.Passes[i].Name == name {
			return &p.Passes[i]
		}
	}
	return nil
}

// Alone is the anonymous memory of a pass, if earlier passes have left nothing.
func (p *Pass) Alone() int64 { return int64(fixedMemory + p.held.mapped + 2*p.held.heap) }

// Beside is Alone without the blocks of groups of leaves.
func (p *Pass) Beside() int64 {
	return int64(fixedMemory + p.held.mapped - p.groups.mapped + 2*(p.held.heap-p.groups.heap))
}

// fixedMemory is the program, Pebble's memtables and cache, and small buffers.
// Measured on builds of a few hundred rows: 7.2 to 8 MB.
const fixedMemory = 7.6e6

// total sums up the passes. The heap keeps its size for minutes, so a pass has the largest heap of
// itself and all earlier ones.
func (p *Plan) total(s *Shape, r Rates) *Plan {
	var heap float64
	for i := range p.Passes {
		pass := &p.Passes[i]
		pass.held.mapped += float64(s.Held) // garbage is counted beside the blocks of the build
		heap = max(heap, pass.held.heap)
		pass.AnonBytes = int64(fixedMemory + pass.held.mapped + 2*heap)
		p.PeakAnonBytes = max(p.PeakAnonBytes, pass.AnonBytes)
		p.PeakDiskBytes = max(p.PeakDiskBytes, pass.DiskBytes)
		p.ReadBytes += pass.ReadBytes
		p.WrittenBytes += pass.WrittenBytes
		pass.Seconds = r.seconds(pass)
		p.Seconds += pass.Seconds
		parallel, alone := r.cpu(pass.work)
		p.CPUSeconds += parallel + alone
	}
	if s.Kind == Groups && !s.Inner {
		p.InGroups = s.partsCopies()
	}
	p.LinksSeconds, p.Search = r.seconds(&Pass{work: s.links()}), searchedBy(s)
	return p
}

// Untimed removes the times, for a plan without a measured machine.
func (p *Plan) Untimed() *Plan {
	p.Seconds, p.CPUSeconds, p.LinksSeconds = 0, 0, 0
	for i := range p.Passes {
		p.Passes[i].Seconds = 0
	}
	return p
}

package living_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/living/internal/disk"
)

// A power is a file system whose power may fail. It does everything on the disk, and knows what
// of it a crash may lose: bytes that were not synced, in any part, and names of a folder that
// was not.
type power struct {
	disk.FS
	names, durable map[string]*written
	fail           func(op, name string) bool // an operation fails: nothing of it happens
	crash          func(op, name string)      // told before and after each
}

// written is a file: what a crash leaves for sure, and what came after.
type written struct {
	synced []byte
	writes []write
}

type write struct {
	at   int64
	data []byte // nil: the file was cut at at
}

func (w *written) apply(data []byte, writes []write) []byte {
	data = bytes.Clone(data)
	for _, x := range writes {
		switch end := int(x.at) + len(x.data); {
		case x.data == nil:
			data = data[:min(int(x.at), len(data))]
		case end > len(data):
			data = append(data, make([]byte, end-len(data))...)
			fallthrough
		default:
			copy(data[x.at:], x.data)
		}
	}
	return data
}

func newPower(inner disk.FS) *power {
	return &power{FS: inner, names: map[string]*written{}, durable: map[string]*written{}, fail: func(string, string) bool { return false }, crash: func(string, string) {}}
}

var errDisk = errors.New("the disk failed")

func (p *power) around(op, name string, do func() error) error {
	p.crash("before "+op, name)
	if p.fail(op, name) {
		return errDisk
	}
	if err := do(); err != nil {
		return err
	}
	p.crash("after "+op, name)
	return nil
}

func (p *power) Create(name string) (disk.File, error) {
	f, err := p.FS.Create(name)
	if err != nil {
		return nil, err
	}
	p.names[name] = new(written)
	return &powered{f, p, p.names[name], name}, nil
}

func (p *power) Edit(name string) (disk.File, error) {
	f, err := p.FS.Edit(name)
	if err != nil {
		return nil, err
	}
	return &powered{f, p, p.names[name], name}, nil
}

func (p *power) Rename(from, to string) error {
	return p.around("rename", to, func() error {
		p.names[to] = p.names[from]
		delete(p.names, from)
		return p.FS.Rename(from, to)
	})
}

func (p *power) RemoveAll(name string) error {
	return p.around("remove", name, func() error {
		delete(p.names, name)
		return p.FS.RemoveAll(name)
	})
}

func (p *power) SyncFolder(name string) error {
	return p.around("sync of folder", name, func() error {
		for at := range p.durable {
			if path.Dir(at) == name && p.names[at] == nil {
				delete(p.durable, at)
			}
		}
		for at, f := range p.names {
			if path.Dir(at) == name {
				p.durable[at] = f
			}
		}
		return p.FS.SyncFolder(name)
	})
}

type powered struct {
	disk.File
	p    *power
	w    *written
	name string
}

func (f *powered) WriteAt(b []byte, at int64) (int, error) {
	err := f.p.around("write", f.name, func() error {
		f.w.writes = append(f.w.writes, write{at, append([]byte{}, b...)})
		_, err := f.File.WriteAt(b, at)
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

func (f *powered) Truncate(size int64) error {
	f.w.writes = append(f.w.writes, write{at: size})
	return f.File.Truncate(size)
}

func (f *powered) Sync() error     { return f.sync(f.File.Sync) }
func (f *powered) SyncData() error { return f.sync(f.File.SyncData) }

// sync makes writes durable. Where it fails the system takes them for written, as Linux does: they are
// read as before, and later syncs leave them out.
func (f *powered) sync(do func() error) error {
	err := f.p.around("sync", f.name, func() error {
		f.w.synced, f.w.writes = f.w.apply(f.w.synced, f.w.writes), nil
		return do()
	})
	if errors.Is(err, errDisk) {
		f.w.writes = nil
	}
	return err
}

// after makes in dir what a crash now leaves of the store in from: percent of 100 of what was
// not synced.
func (p *power) after(t *testing.T, from, dir string, percent int, rng *rand.Rand) {
	t.Helper()
	linkBases(t, from, dir)
	names := maps.Clone(p.durable)
	for _, at := range slices.Sorted(maps.Keys(p.names)) {
		if rng.IntN(100) < percent {
			names[at] = p.names[at]
		}
	}
	for at := range p.durable {
		if p.names[at] == nil && rng.IntN(100) < percent {
			delete(names, at)
		}
	}
	for at, f := range names {
		var writes []write
		for _, w := range f.writes {
			if rng.IntN(100) < percent {
				if w.data != nil && rng.IntN(100) >= percent {
					w.data = w.data[:rng.IntN(len(w.data)+1)]
				}
				writes = append(writes, w)
			}
		}
		target := filepath.Join(dir, filepath.FromSlash(at))
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, f.apply(f.synced, writes), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// linkBases links sealed stores, which are not written through a power.
func linkBases(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, at)
		rel = filepath.ToSlash(rel)
		switch target := filepath.Join(to, rel); {
		case e.IsDir():
			return os.MkdirAll(target, 0o777)
		case strings.HasPrefix(rel, "living/") && !strings.HasPrefix(rel, "living/base-"):
			return nil
		default:
			return os.Link(at, target)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// crashed is what a crash left, and how many transactions had been promised.
type crashed struct {
	where     string
	dir       string
	committed int
}

// TestCrashMatrix lets the power fail before and after each write, sync, rename and removal of
// a history with compactions: every transaction that was promised is there, and the one that
// was running whole or not at all; the store goes on from there.
func TestCrashMatrix(t *testing.T) {
	first := *seedFlag
	if first == 0 {
		first = rand.Uint64()
	}
	n := 2
	if testing.Short() {
		n = 1
	}
	for i := range uint64(n) {
		t.Logf("again: go test ./store/living -run '^TestCrashMatrix$' -seed %d", first+i)
		crashes(t, first+i)
	}
}

func crashes(t *testing.T, seed uint64) {
	h := begin(t, seed)
	h.must(h.reader.Close())
	h.must(h.db.Close())
	rng := rand.New(rand.NewPCG(seed, 3))
	if rng.IntN(2) == 0 { // nothing was written yet
		h.must(os.RemoveAll(filepath.Join(h.dir, "living")))
	}
	var p *power
	var after []crashed
	often := 3
	if testing.Short() {
		often = 9
	}
	models := []*model{h.m.clone()}
	h.opts = h.opts.On(func(inner disk.FS) disk.FS {
		if p == nil {
			p = newPower(inner)
			seen(t, p, h.dir)
			p.crash = func(op, name string) {
				if rng.IntN(often) == 0 {
					dir := filepath.Join(t.TempDir(), "c")
					p.after(t, h.dir, dir, []int{0, 50, 100}[rng.IntN(3)], rng)
					after = append(after, crashed{op + " of " + name, dir, len(models) - 1})
				}
			}
		}
		p.FS = inner
		return p
	})
	h.open()
	for i := range 17 {
		switch {
		case i%5 == 4:
			h.compact()
		case i%5 == 2:
			h.integrate()
		case i == 7:
			h.must(h.db.Close())
			h.open()
		default:
			h.update(4)
			models = append(models, h.m.clone())
		}
	}
	h.must(h.db.Close())
	t.Logf("%d crashes", len(after))
	for _, c := range after {
		h.survives(c, models)
		os.RemoveAll(c.dir)
	}
}

// seen takes what lies on the disk already as durable.
func seen(t *testing.T, p *power, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "living", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range files {
		if data, err := os.ReadFile(at); err == nil && filepath.Base(at) != "lock" {
			w := &written{synced: data}
			p.names["living/"+filepath.Base(at)], p.durable["living/"+filepath.Base(at)] = w, w
		}
	}
}

// survives opens what a crash left.
func (h *history) survives(c crashed, models []*model) {
	h.t.Helper()
	h.note("crash %s after %d transactions", c.where, c.committed)
	g := &history{t: h.t, rng: h.rng, dir: c.dir, m: models[c.committed], dim: h.dim, typ: h.typ, opts: new(living.Options).Chunk(chunk), actions: h.actions}
	g.opts.Create = h.opts.Create
	if r, err := living.OpenReader(c.dir, nil); err == nil { // what another process sees before a writer comes
		if r.State().NextRow > models[min(c.committed+1, len(models)-1)].next {
			g.fatal("a reader sees %+v", r.State())
		}
		g.must(r.Close())
	} else if g.opts.Create == nil {
		g.fatal("a reader: %v", err)
	}
	g.open()
	v := g.view()
	if c.committed+1 < len(models) && !sameRows(v, g.m) {
		g.m = models[c.committed+1]
	}
	g.same(v, g.m)
	g.must(v.Close())
	g.m = g.m.clone()
	g.update(3)
	if g.rng.IntN(5) == 0 {
		g.compact()
	}
	v = g.view()
	g.same(v, g.m)
	g.must(v.Close())
	g.must(g.db.Close())
	h.actions = h.actions[:len(h.actions)-1]
}

func sameRows(v *living.View, m *model) bool {
	n := 0
	for row := range v.Rows() {
		if _, ok := m.rows[uint64(row)]; !ok {
			return false
		}
		n++
	}
	return n == len(m.rows) && v.State().NextRow == m.next
}

// drawn is the seed that was asked for, or a random one, which the log tells.
func drawn(t *testing.T) uint64 {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("again: go test ./store/living -run '^%s$' -seed %d", t.Name(), seed)
	return seed
}

// TestDiskFails lets each write, sync and rename fail in turn: the transaction or compaction
// says so, nothing succeeds afterwards, and the store opens with all that was promised.
func TestDiskFails(t *testing.T) {
	seed := drawn(t)
	step := 5
	if testing.Short() {
		step = 17
	}
	for at := 0; fails(t, seed, at); at += step {
	}
}

// fails runs a history in which one operation fails; it returns false if it came to no failure.
func fails(t *testing.T, seed uint64, at int) (failed bool) {
	h := begin(t, seed)
	h.must(h.reader.Close())
	h.must(h.db.Close())
	models := []*model{h.m.clone()}
	calls := 0
	var where string
	h.opts = h.opts.On(func(inner disk.FS) disk.FS {
		p := newPower(inner)
		seen(t, p, h.dir)
		p.fail = func(op, name string) bool {
			calls++
			if calls-1 != at {
				return false
			}
			failed, where = true, op+" of "+name
			return true
		}
		return p
	})
	var err error
	if h.db, err = living.Open(h.dir, h.opts); err != nil {
		if !failed {
			t.Fatal(err)
		}
	} else {
		models = h.until(&failed, &where, models)
	}
	h.opts.Create, h.opts = nil, new(living.Options)
	h.survives(crashed{"failed " + where, h.dir, len(models) - 1}, append(models, h.m))
	return failed
}

// until writes until something failed, and then sees that nothing succeeds; or where a layer failed, which is derived, that
// transactions go on.
func (h *history) until(failed *bool, where *string, models []*model) []*model {
	var err error
	for i := 0; i < 8 && !*failed; i++ {
		if i == 2 || i == 5 {
			err = h.db.Integrate(context.Background())
		} else if i == 4 {
			err = rebuild.Compact(context.Background(), h.db, rebuild.Options{Threads: 1})
		} else {
			m := h.m.clone()
			err = h.db.Update(func(tx *living.Tx) error {
				id, v := h.id(), h.vector()
				_, err := tx.Put(id, v)
				m.put(id, v)
				return err
			})
			h.m = m
			if err == nil || errors.Is(err, living.ErrIntegrate) {
				models = append(models, m)
			}
		}
		if err == nil && *failed {
			h.fatal("success, though %s failed", *where)
		}
	}
	if *failed && !strings.HasPrefix(*where, "remove") {
		derived := strings.Contains(*where, "/layer-") || errors.Is(err, errDisk) && !errors.Is(err, living.ErrBroken)
		m, v := h.m.clone(), h.vector()
		err := h.db.Update(func(tx *living.Tx) error { _, err := tx.Put("", v); return err })
		if derived && (err == nil || errors.Is(err, living.ErrIntegrate)) {
			m.put("", v)
			h.m = m
			models = append(models, m)
		} else if derived || !errors.Is(err, living.ErrBroken) {
			h.fatal("an update after %s failed: %v", *where, err)
		}
	}
	if err := h.db.Close(); err != nil && !*failed {
		h.must(err)
	}
	return models
}

// TestFailsTwice lets each write, sync, rename and removal fail in turn, as a kill does too, has another process
// go on, and then the power fails, which leaves only what was synced: every transaction that was promised
// before and after the failure is there.
func TestFailsTwice(t *testing.T) {
	seed := drawn(t)
	step := 2
	if testing.Short() {
		step = 11
	}
	for at := int(seed % uint64(step)); failsTwice(t, seed, at); at += step {
	}
}

func failsTwice(t *testing.T, seed uint64, at int) (failed bool) {
	h := begin(t, seed)
	h.must(h.reader.Close())
	h.must(h.db.Close())
	h.opts.Rebuild = nil // which would go on beside the failure of the power
	models := []*model{h.m.clone()}
	calls := 0
	var where string
	var p *power
	h.opts = h.opts.On(func(inner disk.FS) disk.FS {
		if p == nil {
			p = newPower(inner)
			seen(t, p, h.dir)
			p.fail = func(op, name string) bool {
				if calls++; calls-1 == at {
					failed, where = true, op+" of "+name
				}
				return calls-1 == at
			}
		}
		p.FS = inner
		return p
	})
	db, err := living.Open(h.dir, h.opts)
	switch {
	case err == nil:
		h.db = db
		models = h.until(&failed, &where, models)
	case !failed:
		t.Fatal(err)
	}
	if !failed {
		return false
	}
	h.note("%s failed after %d transactions", where, len(models)-1)
	h.open()
	v := h.view()
	if !sameRows(v, h.m) {
		h.m = models[len(models)-1]
	}
	h.same(v, h.m)
	h.must(v.Close())
	for range 3 {
		h.update(3)
	}
	dir := filepath.Join(t.TempDir(), "c")
	p.after(t, h.dir, dir, 0, h.rng)
	h.must(h.db.Close())
	h.survives(crashed{"of the power, after " + where + " failed", dir, 0}, []*model{h.m})
	return true
}

// TestSweepFails: where files of before cannot be removed as a compaction begins, Compact and the compaction in
// the background say so, the base is closed with the store, and the next Compact goes on.
func TestSweepFails(t *testing.T) {
	for _, auto := range []bool{false, true} {
		dir, rows := builtStore(t, 60, 4)
		o := new(living.Options).Due(5)
		o.Auto, o.Rebuild = auto, rebuild.Auto(rebuild.Options{Threads: 1})
		failing := false
		db, err := living.Open(dir, o.On(func(inner disk.FS) disk.FS {
			p := newPower(inner)
			seen(t, p, dir)
			p.fail = func(op, name string) bool { return failing && op == "remove" }
			return p
		}))
		must(t, err)
		failing = true
		err = db.Update(func(tx *living.Tx) error {
			for _, row := range rows[:20] {
				must(t, second(tx.Put("", row)))
			}
			return nil
		})
		if !auto {
			must(t, err)
			err = rebuild.Compact(t.Context(), db, rebuild.Options{Threads: 1})
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("auto %v: removals fail: %v", auto, err)
		}
		failing = false
		must(t, db.Close())
		seal, err := os.Open(filepath.Join(dir, "SEAL"))
		must(t, err)
		if ok, err := rooted.TryLock(seal); err != nil || !ok {
			t.Errorf("auto %v: the base is open after Close: %v", auto, err)
		}
		must(t, seal.Close())
		db = open(t, dir)
		compact(t, db, 0)
		if v := view(t, db); v.Len() != 80 || v.State().Pending != 0 {
			t.Errorf("auto %v: %+v", auto, v.State())
		}
	}
}

package shards_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/builder/shards"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// shardInput writes rows to some files: bytes, or float32.
func shardInput(t *testing.T, data []float32, dim int, bytes bool, files int) (paths []string) {
	t.Helper()
	n := len(data) / dim
	for i := range files {
		part := data[i*n/files*dim : (i+1)*n/files*dim]
		raw := binary.LittleEndian.AppendUint32(nil, uint32(len(part)/dim))
		raw = binary.LittleEndian.AppendUint32(raw, uint32(dim))
		ext := "fbin"
		for _, x := range part {
			if bytes {
				raw, ext = append(raw, byte(x)), "u8bin"
			} else {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
			}
		}
		path := filepath.Join(t.TempDir(), "rows."+ext)
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func openInput(t *testing.T, paths []string) *vectors.Input {
	t.Helper()
	in, err := vectors.Open(paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// drive runs a build by shards to its end; before is called before every task.
func drive(t *testing.T, run string, w shards.Worker, order func([]shards.Task), before func(*shards.Run, shards.Task)) error {
	t.Helper()
	for {
		s, err := shards.Open(run, w) // a process of its own
		if err != nil {
			return err
		}
		wave, err := s.Next()
		if err != nil || wave.Ended {
			return err
		}
		if order != nil {
			order(wave.Tasks)
		}
		for _, task := range wave.Tasks {
			s, err := shards.Open(run, w)
			if err != nil {
				return err
			}
			if before != nil {
				before(s, task)
			}
			if err := s.Do(context.Background(), task); err != nil {
				return err
			}
		}
	}
}

func begin(t *testing.T, paths []string, o builder.Options, cut shards.Cut) string {
	t.Helper()
	run, err := shards.Begin(context.Background(), t.TempDir(), openInput(t, paths), o, cut)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func unite(t *testing.T, run string, w shards.Worker) *builder.Result {
	t.Helper()
	s, err := shards.Open(run, w)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	res, err := s.Unite(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := store.Check(context.Background(), dir, store.CheckOptions{}); err != nil || !report.OK() {
		t.Fatalf("the united store: %v, %+v", err, report)
	}
	const sealing = 24 << 10 // files that come when the peak has been told
	if size := sizeOf(t, dir); res.PeakDiskBytes < size-sealing || res.PeakDiskBytes < 1 || res.PeakDiskBytes > 4*size {
		t.Errorf("%d bytes of disk at the peak, the store has %d", res.PeakDiskBytes, size)
	}
	return res
}

// sizeOf returns the bytes of the files in a folder.
func sizeOf(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var info fs.FileInfo
			info, err = d.Info()
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// wideRows is from how many rows on tests of shards have divisions of more leaves.
const wideRows = 2200

// shardCases are builds that shards must make as one machine does.
func shardCases(t *testing.T) map[string]struct {
	paths []string
	opts  builder.Options
} {
	rng := rand.New(rand.NewPCG(3, 1))
	near := rowstest.Clustered(1, 2000, 12)
	many := rowstest.Clustered(2, wideRows, 12)
	vast := rowstest.Clustered(4, wideRows+500, 12)
	floats := make([]float32, 1600*8)
	for i := range floats {
		floats[i] = float32(rng.NormFloat64())
	}
	hard := make([]float32, wideRows*16)
	for i := range hard {
		hard[i] = float32(rng.NormFloat64())
	}
	bad := append([]float32(nil), floats...)
	for _, row := range []int{0, 1, 700, 701, 1200, 1599} {
		bad[row*8+3] = float32(math.NaN())
	}
	tiny := append([]float32(nil), floats...)
	for i := range tiny {
		tiny[i] *= 1e-30
	}
	flat := append([]float32(nil), floats...)
	for j := range 8 {
		flat[700*8+j] = 2     // has no correlation, and every other distance
		flat[900*8+j] *= 1e25 // has no distance, except the cosine
	}
	type build = struct {
		paths []string
		opts  builder.Options
	}
	return map[string]build{
		"bytes":     {shardInput(t, near, 12, true, 3), builder.Options{K: 5, Recall: 0.9}},
		"divisions": {shardInput(t, near, 12, true, 1), builder.Options{K: 7, Divisions: 6, Seed: 5}},
		"wide":      {shardInput(t, many, 12, true, 2), builder.Options{K: 5, Recall: 0.97}},
		"vast":      {shardInput(t, vast, 12, true, 2), builder.Options{K: 5, Recall: 0.97}},
		"half":      {shardInput(t, hard, 16, false, 2), builder.Options{K: 10, Recall: 0.92}},
		"ten":       {shardInput(t, many, 12, true, 2), builder.Options{K: 5, Divisions: 10}},
		"floats":    {shardInput(t, floats, 8, false, 2), builder.Options{K: 10, Recall: 0.8}},
		"cosine":    {shardInput(t, floats, 8, false, 1), builder.Options{K: 4, Divisions: 4, Metric: distance.Cosine}},
		"centered":  {shardInput(t, floats, 8, false, 1), builder.Options{K: 4, Recall: 0.8, Metric: distance.Correlation}},
		"equal":     {shardInput(t, flat[:900*8], 8, false, 2), builder.Options{K: 4, Divisions: 4}},
		"long":      {shardInput(t, flat, 8, false, 2), builder.Options{K: 4, Divisions: 4, Metric: distance.Cosine}},
		"drop":      {shardInput(t, bad, 8, false, 2), builder.Options{K: 3, Divisions: 8, BadRows: builder.Drop}},
		"isolate":   {shardInput(t, bad, 8, false, 2), builder.Options{K: 3, Divisions: 4, BadRows: builder.Isolate}},
		"tiny":      {shardInput(t, tiny, 8, false, 1), builder.Options{K: 3, Divisions: 4}},
		"short":     {shardInput(t, near[:12*150], 12, true, 2), builder.Options{K: 100, Divisions: 1}},
		"few":       {shardInput(t, near[:12*3], 12, true, 1), builder.Options{K: 5, Recall: 0.9}},
		"one":       {shardInput(t, near[:12], 12, true, 1), builder.Options{K: 5, Recall: 0.9}},
	}
}

// TestShardsAreOneMachine: for any number of shards, solvers and ranges, in any order of
// tasks, done twice, the graph and its report are those of Build.
func TestShardsAreOneMachine(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	defer func(before int) { job.WideRows = before }(job.WideRows)
	job.WideRows = wideRows
	defer func(before int) { job.VastRows = before }(job.VastRows)
	job.VastRows = wideRows + 500
	for name, c := range shardCases(t) {
		t.Run(name, func(t *testing.T) {
			c.opts.Method, c.opts.Threads = builder.Parts, 2
			in := openInput(t, c.paths)
			want, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), in, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if name == "half" && want.Divisions%(2*job.Overlap) != job.Overlap {
				t.Errorf("%d leaves a row: want a last division of half as many", want.Divisions)
			}
			cuts := []shards.Cut{{Rows: (in.Len() + 3) / 4, Range: 333}, {Rows: in.Len()}, {Rows: (in.Len() + 1) / 2, Solvers: 2, Range: 1000}}
			if testing.Short() {
				cuts = cuts[:1]
			}
			for i, cut := range cuts {
				run := begin(t, c.paths, c.opts, cut)
				w := shards.Worker{Threads: 1 + i%2, Scratch: t.TempDir()}
				rng := rand.New(rand.NewPCG(uint64(i), 7))
				order := func(tasks []shards.Task) {
					rng.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
				}
				if err := drive(t, run, w, order, nil); err != nil {
					t.Fatal(err)
				}
				got := unite(t, run, w)
				if got.Checksum != want.Checksum {
					t.Fatalf("%+v: another graph: %s, want %s", cut, got.Checksum, want.Checksum)
				}
				if got.Recall != want.Recall || got.Comparisons != want.Comparisons || got.Components != want.Components || got.Stop != want.Stop ||
					got.Completed != want.Completed || got.ControlPairs != want.ControlPairs || got.Short != want.Short || got.Divisions != want.Divisions {
					t.Errorf("%+v: %+v, want %+v", cut, got, want)
				}
			}
		})
	}
}

// small is a run of some tasks, and the checksum of its graph.
func small(t *testing.T) (paths []string, o builder.Options, cut shards.Cut, checksum string) {
	t.Helper()
	paths = shardInput(t, rowstest.Clustered(1, 1500, 8), 8, true, 2)
	o = builder.Options{K: 5, Recall: 0.9, Method: builder.Parts, Threads: 1}
	res, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), openInput(t, paths), o)
	if err != nil {
		t.Fatal(err)
	}
	return paths, o, shards.Cut{Rows: 500, Range: 600, Solvers: 3, Version: "1"}, res.Checksum
}

// TestShardsAfterKills: a process that is killed while it writes leaves nothing that counts,
// and a late attempt at a task whose file is there changes nothing.
func TestShardsAfterKills(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	paths, o, cut, want := small(t)
	run, w := begin(t, paths, o, cut), shards.Worker{Version: "1", Threads: 1, Scratch: t.TempDir()}
	err := drive(t, run, w, nil, func(s *shards.Run, task shards.Task) {
		canceled, cancel := context.WithCancel(context.Background())
		cancel()
		s.Do(canceled, task) // ends in the middle, or is done
		name := shards.PieceOf(run, s, task)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name+".half.tmp", []byte("KNNGPIEC half of a piece"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := s.Do(context.Background(), task); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name, name+".away.tmp"); err != nil { // two attempts ran side by side: both write
			t.Fatal(err)
		}
		if err := s.Do(context.Background(), task); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(name); err != nil || string(before) != string(after) {
			t.Errorf("task %v: a second attempt makes other bytes: %v", task, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := unite(t, run, w); got.Checksum != want {
		t.Errorf("another graph")
	}
}

// TestShardsByTwoDrivers: drivers that do not know of each other do the same run at once. None of them fails but by a task
// that the other has made needless, whose inputs are gone, and the graph is that of one.
func TestShardsByTwoDrivers(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	paths, o, cut, want := small(t)
	run, w := begin(t, paths, o, cut), shards.Worker{Version: "1", Threads: 1, Scratch: t.TempDir()}
	var drivers sync.WaitGroup
	for range 3 {
		drivers.Go(func() {
			if err := driveBeside(run, w); err != nil {
				t.Error(err)
			}
		})
	}
	drivers.Wait()
	if got := unite(t, run, w); got.Checksum != want {
		t.Errorf("another graph")
	}
}

// TestShardsEndedMeanwhile: a run that another driver ends between two looks of this one is ended.
func TestShardsEndedMeanwhile(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	paths, o, cut, _ := small(t)
	run, w := begin(t, paths, o, cut), shards.Worker{Version: "1", Threads: 1, Scratch: t.TempDir()}
	if err := drive(t, run, w, nil, nil); err != nil {
		t.Fatal(err)
	}
	defer shards.SealsLate()()
	s, err := shards.Open(run, w)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if wave, err := s.Next(); err != nil || wave == nil || !wave.Ended {
		t.Errorf("%+v, %v", wave, err)
	}
}

// TestShardsErrors: cases that a driver tells apart have errors of their own.
func TestShardsErrors(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	paths, o, cut, _ := small(t)
	run, w := begin(t, paths, o, cut), shards.Worker{Version: "1", Threads: 1, Scratch: t.TempDir()}
	ctx := context.Background()
	s, err := shards.Open(run, w)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, unfinished := s.Unite(ctx, filepath.Join(t.TempDir(), "g"))
	_, notRun := shards.Open(t.TempDir(), w)
	_, unreadable := shards.ParseTask([]string{"solve", "one"})
	in, err := vectors.Open(paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	beginning := func(change func(o *builder.Options, cut *shards.Cut)) error {
		o, cut := o, cut
		change(&o, &cut)
		_, err := shards.Begin(ctx, t.TempDir(), in, o, cut)
		return err
	}
	for want, errs := range map[error][]error{
		shards.ErrUnfinished: {unfinished},
		shards.ErrNotRun:     {notRun},
		shards.ErrTask:       {unreadable, s.Do(ctx, shards.Task{Stage: "audit", Part: 1000}), s.Do(ctx, shards.Task{Stage: "polish"})},
		fs.ErrNotExist:       {s.Do(ctx, shards.Task{Stage: "settle"})},
		vectors.ErrUsage: {
			beginning(func(o *builder.Options, _ *shards.Cut) { o.Method = builder.Balls }),
			beginning(func(o *builder.Options, _ *shards.Cut) { o.Metric = distance.IP }),
			beginning(func(_ *builder.Options, cut *shards.Cut) { cut.Rows = -1 }),
		},
		builder.ErrReference: {beginning(func(o *builder.Options, _ *shards.Cut) { o.Reference = true })},
	} {
		for _, err := range errs {
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
}

// driveBeside drives a build by shards beside other drivers.
func driveBeside(run string, w shards.Worker) error {
	s, err := shards.Open(run, w)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		wave, err := s.Next()
		if err != nil || wave.Ended {
			return err
		}
		for _, task := range wave.Tasks {
			if failed := s.Do(context.Background(), task); failed != nil {
				if now, err := s.Next(); err != nil || slices.Contains(now.Tasks, task) {
					return errors.Join(failed, err)
				}
			}
		}
	}
}

// TestShardsRefuse other versions, damaged files, changed inputs and other methods,
// and name them.
func TestShardsRefuse(t *testing.T) {
	defer shards.SmallGroups(96<<10, 1<<12)()
	paths, o, cut, want := small(t)
	run, w := begin(t, paths, o, cut), shards.Worker{Version: "1", Threads: 1, Scratch: t.TempDir()}
	if _, err := shards.Open(run, shards.Worker{Version: "2"}); !errors.Is(err, shards.ErrVersion) {
		t.Errorf("another version: %v", err)
	}
	damage := map[string]bool{}
	drive(t, run, w, nil, func(s *shards.Run, task shards.Task) {
		if damage[task.Stage] || task.Part != 0 {
			return
		}
		damage[task.Stage] = true
		for _, name := range piecesAt(run) {
			whole, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			os.WriteFile(name, whole[:len(whole)/2], 0o666)
			s, err := shards.Open(run, w)
			if err == nil {
				err = s.Do(context.Background(), task)
			}
			if err != nil && !strings.Contains(filepath.ToSlash(err.Error()), filepath.ToSlash(nameIn(run, name))) {
				t.Errorf("task %v, %s damaged: the error does not name it: %v", task, name, err)
			}
			if err != nil && !errors.Is(err, shards.ErrDamaged) {
				t.Errorf("task %v, %s damaged: %v", task, name, err)
			}
			if err == nil {
				os.Remove(shards.PieceOf(run, s, task)) // it does not read that file
			}
			os.WriteFile(name, whole, 0o666)
		}
	})
	if got := unite(t, run, w); got.Checksum != want {
		t.Errorf("another graph")
	}
	little, err := shards.Open(run, shards.Worker{Version: "1", Threads: 1, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	graph := filepath.Join(t.TempDir(), "g")
	if _, err := little.Unite(context.Background(), graph); !errors.Is(err, builder.ErrMemory) {
		t.Errorf("one mebibyte for a graph: %v", err)
	}
	if _, err := os.Stat(graph); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a graph that was refused is there: %v", err)
	}
	enough, err := shards.Open(run, w)
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(why)
	if _, err := enough.Unite(ctx, graph); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
		t.Errorf("%v, want that it was canceled, and why", err)
	}
	if again := begin2(t, filepath.Dir(run), paths, o, cut); again != run {
		t.Errorf("the same command makes another run: %s, %s", again, run)
	}
	raw, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2]++
	if err := os.WriteFile(paths[0], raw, 0o666); err != nil {
		t.Fatal(err)
	}
	run2 := begin(t, shardInput(t, rowstest.Clustered(2, 400, 8), 8, true, 1), o, cut)
	if run2 == run {
		t.Error("other rows, the same run")
	}
	if again := begin2(t, filepath.Dir(run), paths, o, cut); again == run {
		t.Error("a file that has changed, the same run")
	}
	for name, o := range map[string]builder.Options{"method": {Method: builder.Exact}, "k": {K: 5000}, "reference": {Reference: true}} {
		if _, err := shards.Begin(context.Background(), t.TempDir(), openInput(t, paths), o, cut); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s, err := shards.Open(begin(t, paths, o, cut), shards.Worker{Version: "1", Threads: 1, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Do(context.Background(), shards.Task{Stage: "audit"}); !errors.Is(err, builder.ErrMemory) {
		t.Errorf("one mebibyte: %v", err)
	}
	for _, words := range [][]string{nil, {"audit"}, {"audit", "x"}, {"solve", "1"}, {"solve", "0", "1"}, {"walk", "1"}, {"audit", "-1"}} {
		if _, err := shards.ParseTask(words); err == nil {
			t.Errorf("task %q is taken", words)
		}
	}
}

// begin2 begins a run where others are.
func begin2(t *testing.T, folder string, paths []string, o builder.Options, cut shards.Cut) string {
	t.Helper()
	run, err := shards.Begin(context.Background(), folder, openInput(t, paths), o, cut)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// piecesAt are the files of a run that tasks made.
func piecesAt(run string) (names []string) {
	filepath.WalkDir(run, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(d.Name(), "-of-") && !strings.HasSuffix(path, ".tmp") {
			names = append(names, path)
		}
		return nil
	})
	return names
}

// nameIn is the name of a file of a run.
func nameIn(run, path string) string {
	name, _ := filepath.Rel(run, path)
	return filepath.ToSlash(name)
}

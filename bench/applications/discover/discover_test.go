package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/knng/knng/bench/applications/discover/internal/render"
	"github.com/knng/knng/bench/applications/discover/internal/verify"
	"github.com/knng/knng/store"
)

// TestRun discovers the objects of a small rendered set.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	d := &drawing{out: filepath.Join(dir, "pictures"), objects: 3, fewest: 5, most: 5, without: 5, seed: 3}
	if err := d.draw(); err != nil {
		t.Fatal(err)
	}
	c := &config{images: d.out, labels: filepath.Join(d.out, "labels.txt"), out: filepath.Join(dir, "found"),
		keypoints: 300, coarse: 40, branch: 16, depth: 3, training: 20000, k: 8, leaf: 16, visits: 32, inliers: 8, worth: 0.5, seed: 1, seeds: 2}
	if err := c.validate(); err != nil {
		t.Fatal(err)
	}
	var first, again, log bytes.Buffer
	if err := run(context.Background(), c, &first, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"20 pictures, 15 of them of 3 objects, 5 distracters", "no photographs", "| object002 | 5 |", "0.592", "joined", "Means over 2 seeds"} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("%q is not in the table:\n%s", want, &first)
		}
	}
	lines, err := os.ReadFile(filepath.Join(c.out, "clusters.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var truth []string
	var cluster []uint32
	numbers := map[string]uint32{}
	for _, line := range strings.Split(strings.TrimSpace(string(lines)), "\n")[1:] {
		f := strings.Split(line, ",")
		if _, ok := numbers[f[2]]; !ok {
			numbers[f[2]] = uint32(len(numbers))
		}
		truth, cluster = append(truth, f[3]), append(cluster, numbers[f[2]])
	}
	if precision, _, _ := average(judge(truth, cluster)); precision < 0.8 {
		t.Errorf("precision of the over-segments is %.3f, want 0.8:\n%s", precision, &first)
	}
	f, err := os.Open(filepath.Join(c.out, "clusters.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
	if err := run(context.Background(), c, &again, &log); err != nil || again.String() != first.String() {
		t.Errorf("the second run says something else: %v", err)
	}
}

// TestPhotographs: JPEG files in folders, as cameras and people name them, of
// several sizes, one without color, and labels in any order.
func TestPhotographs(t *testing.T) {
	dir := t.TempDir()
	world := render.New(5, 2)
	var labels strings.Builder
	for i := range 12 {
		object := i % 2
		name := fmt.Sprintf("album %d/IMG_%04d.%s", object, i, []string{"jpg", "JPG", "jpeg"}[i%3])
		img := image.Image(world.View(object, i/2))
		if i == 5 {
			img = greyed(img)
		}
		if err := writeJPEG(filepath.Join(dir, "photos", name), img); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&labels, "%s\tthe object %d\n", name, object)
	}
	for i := range 4 {
		img := world.Distracter(i).SubImage(image.Rect(10, 20, render.Width-7*i, render.Height))
		if err := writeJPEG(filepath.Join(dir, "photos", fmt.Sprintf("%d.jpeg", i)), img); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "photos", "notes.txt"), []byte("no picture"), 0o666); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "labels.txt")
	if err := os.WriteFile(list, []byte(labels.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	c := &config{images: filepath.Join(dir, "photos"), labels: list, out: filepath.Join(dir, "found"), side: 256,
		keypoints: 300, coarse: 40, branch: 16, depth: 3, training: 20000, k: 8, leaf: 16, visits: 32, inliers: 8, worth: 0.5, seed: 1, seeds: 1}
	if err := c.validate(); err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := run(context.Background(), c, &table, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"16 pictures, 12 of them of 2 objects, 4 distracters", "| the object 1 | 6 |"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("%q is not in the table:\n%s", want, &table)
		}
	}
	c.labels, c.out = "", filepath.Join(dir, "without")
	table.Reset()
	if err := run(context.Background(), c, &table, io.Discard); err != nil || !strings.Contains(table.String(), "16 pictures, 0 of them of 0 objects") {
		t.Errorf("without labels: %v\n%s", err, &table)
	}
}

func greyed(img image.Image) image.Image {
	grey := image.NewGray(img.Bounds())
	draw.Draw(grey, grey.Bounds(), img, img.Bounds().Min, draw.Src)
	return grey
}

func writeJPEG(path string, img image.Image) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(jpeg.Encode(f, img, &jpeg.Options{Quality: 85}), f.Close())
}

// asCommand says that the test program is to be the command.
const asCommand = "DISCOVER_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestInterrupt: a signal ends the command with the code that shells expect, and
// the same command goes on.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows sends no SIGINT to another process")
	}
	dir := t.TempDir()
	d := &drawing{out: filepath.Join(dir, "pictures"), objects: 2, fewest: 4, most: 4, without: 2, seed: 3}
	if err := d.draw(); err != nil {
		t.Fatal(err)
	}
	command := func(seeds string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-images", d.out, "-out", filepath.Join(dir, "found"), "-keypoints", "100", "-coarse", "20", "-k", "4", "-seeds", seeds)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		return cmd
	}
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cmd := command("10000")
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stderr)
		last := ""
		for sent := false; lines.Scan(); last = lines.Text() {
			if !sent {
				cmd.Process.Signal(sig)
				sent = true
			}
		}
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != want || !strings.Contains(last, "give the same command again") {
			t.Errorf("%v: exit code %d, want %d: %s", sig, code, want, last)
		}
	}
	if out, err := command("1").CombinedOutput(); err != nil {
		t.Errorf("afterwards: %v\n%s", err, out)
	}
}

// TestJudgeByHand: two objects, a distracter in each of their clusters.
func TestJudgeByHand(t *testing.T) {
	labels := []string{"a", "a", "a", "b", "b", "", ""}
	scores := judge(labels, []uint32{0, 0, 2, 3, 4, 0, 3})
	if len(scores) != 2 || scores[0].object != "a" || scores[0].cluster != 0 || scores[1].cluster != 4 {
		t.Fatalf("%+v", scores)
	}
	for i, want := range []score{{precision: 2. / 3, recall: 2. / 3}, {precision: 1, recall: 0.5}} {
		if math.Abs(scores[i].precision-want.precision) > 1e-12 || math.Abs(scores[i].recall-want.recall) > 1e-12 {
			t.Errorf("%+v, want %+v", scores[i], want)
		}
	}
	lists := [][]uint32{{1, 5, 2}, {5, 6, 0}, {0, 1}, {4}, {0, 3}, {0}, {0}}
	if got, want := nearness(labels, lists), (0.5+0+1+1+0)/5; math.Abs(got-want) > 1e-12 {
		t.Errorf("nearness %v, want %v", got, want)
	}
}

// TestKey: against a slow count of shared words, the order of arguments does not
// matter, and what was moved and turned is verified.
func TestKey(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &features{weight: make([]float32, 60)}
	for i := range f.weight {
		f.weight[i] = 1 + rng.Float32()
	}
	turn := complex(0.6, 0.8)
	for range 20 {
		f.bags = append(f.bags, randomBag(rng, 1+rng.IntN(40)))
	}
	moved := slices.Clone(f.bags[0])
	for i := range moved {
		moved[i].At, moved[i].Frame = turn*moved[i].At+50, turn*moved[i].Frame
	}
	f.bags = append(f.bags, moved, nil)
	m := newMatcher(f, 1000)
	for a := range f.bags {
		for b := range a {
			key, err := m.key(store.Row(b), store.Row(a))
			if err != nil {
				t.Fatal(err)
			}
			if want := 2 - slowCosine(f, a, b); math.Abs(float64(key)-want) > 1e-5 || verified(key) {
				t.Fatalf("%d, %d: key %v, want %v", a, b, key, want)
			}
		}
	}
	m = newMatcher(f, 3)
	if key, _ := m.key(0, 20); len(f.bags[0]) > 20 && !verified(key) {
		t.Errorf("a picture moved and turned has key %v", key)
	}
}

func randomBag(rng *rand.Rand, n int) (b bag) {
	for i := range n {
		at := complex(300*rng.Float64(), 200*rng.Float64())
		b = append(b, occurrence{uint32(rng.IntN(60)), uint32(i), verify.Place{At: at, Frame: 1 + complex(rng.Float64(), 0)}})
	}
	slices.SortStableFunc(b, func(x, y occurrence) int { return int(x.word) - int(y.word) })
	return b
}

// slowCosine pairs off equal words one by one.
func slowCosine(f *features, a, b int) (sum float64) {
	used := map[int]bool{}
	for _, x := range f.bags[a] {
		for j, y := range f.bags[b] {
			if x.word == y.word && !used[j] {
				used[j] = true
				sum += float64(f.weight[x.word]) * float64(f.weight[x.word])
				break
			}
		}
	}
	return sum / max(f.norm(a)*f.norm(b), 1e-300)
}

func TestLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels.txt")
	for text, want := range map[string]string{
		"# note\nb.png\tthing\n":     "",
		"b.png thing\n":              "line 1",
		"a.png\tx\n\nc.png\tthing\n": "line 3: there is no picture c.png",
		"a.png\tx\na.png\ty\n":       "line 2: a.png has an object already, x",
		"a.png\t\n":                  "a tab and an object",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := readLabels(path, []string{"a.png", "b.png"})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		} else if err != nil || !slices.Equal(l.of, []string{"", "thing"}) || !slices.Equal(l.notes, []string{"note"}) {
			t.Errorf("%q: %+v, %v", text, l, err)
		}
	}
}

// TestBadPicture: a file that is no picture is named.
func TestBadPicture(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".png")), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := &config{images: dir, out: filepath.Join(dir, "out"), threads: 1, seeds: 1}
	if err := run(context.Background(), c, new(bytes.Buffer), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "0.png") {
		t.Errorf("%v", err)
	}
}

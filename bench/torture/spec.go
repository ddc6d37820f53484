package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The expectations of a case from the commands that are given its store.
const (
	intact  = "intact"   // a finished store: its answers, or errors
	forged  = "forged"   // a finished store with a seal that fits: an end
	resumed = "resumed"  // a build that was only disturbed: the bytes of one that was not
	damaged = "attacked" // a build of which files were attacked: these bytes, or an error
)

// A Spec is a case: all that Replay needs beside the store.
type Spec struct {
	Seed   uint64   `json:"seed"`
	Number uint64   `json:"number"`
	Kind   string   `json:"kind"`
	Did    []string `json:"did"` // to the store, in order
	Build  string   `json:"build"`
	Input  string   `json:"input"`
	Expect string   `json:"expect"`
	Links  bool     `json:"links"` // those of search were attacked: they are walked unhashed, and found rows may be others
	Harmed bool     `json:"harmed"`
	Wrong  []string `json:"wrong"`
	Ended  string   `json:"-"` // "as intact" or "by an error"
}

// did notes a step.
func (s *Spec) did(format string, args ...any) { s.Did = append(s.Did, fmt.Sprintf(format, args...)) }

// wrong notes a fault.
func (s *Spec) wrong(format string, args ...any) {
	s.Wrong = append(s.Wrong, fmt.Sprintf(format, args...))
}

func buildNamed(name string) build {
	for _, b := range builds {
		if b.Name == name {
			return b
		}
	}
	return builds[0]
}

// home is where cases stand, one after the other: the store is "s", and "outside" is
// nobody's business.
func (w *world) home() string { return filepath.Join(w.base, "case") }

// judge gives the store of a case to commands and notes their faults.
func (w *world) judge(s *Spec) {
	outside := filepath.Join(w.home(), "outside")
	before := snapshot(outside)
	tmp := filepath.Join(w.base, "tmp")
	_ = os.RemoveAll(tmp) // kills leave things there
	_ = os.MkdirAll(tmp, 0o777)
	switch s.Expect {
	case intact, forged:
		w.judgeFinished(s)
	default:
		w.judgeResumed(s)
	}
	if snapshot(outside) != before {
		s.wrong("files outside the store were touched")
	}
	if left := filesOf(tmp); len(left) > 0 {
		s.wrong("left in TMPDIR: %q", left)
	}
}

func (w *world) judgeFinished(s *Spec) {
	g := w.golden[s.Build+s.Input]
	s.Ended = "as intact"
	for _, p := range probes {
		var answers []string
		if s.Expect == intact && !(s.Links && strings.HasPrefix(p.name, "search")) {
			answers = []string{g.answers[p.name]}
		}
		r := w.run(w.home(), w.expand(p.args, s.Input)...)
		if wrong := p.judge(w.home(), &r, answers...); wrong != "" {
			s.wrong("%s: %s (exit %d, %.300q)", p.name, wrong, r.Code, r.Stderr)
		}
		if r.Code != 0 {
			s.Ended = "by an error"
		}
		if p.name == checkProbe && r.Code == 0 && s.Harmed && s.Expect == intact {
			s.wrong("check: calls a store sound of which a sealed file changed")
		}
	}
	// The build's own command on a finished store.
	r := w.run(w.home(), w.args(buildNamed(s.Build), s.Input, "s")...)
	if r.Hung || r.panicked() || r.Code != 0 && !r.failed() {
		s.wrong("build again: exit %d, hung %v, %.300q", r.Code, r.Hung, r.Stderr)
	}
}

func (w *world) judgeResumed(s *Spec) {
	g := w.golden[s.Build+s.Input]
	s.Ended = "as intact"
	for _, look := range [][]string{{"info", "s"}, {"dump", "s", "manifest"}} {
		if r := w.run(w.home(), look...); r.Hung || r.panicked() || r.Code != 0 && !r.failed() {
			s.wrong("%s: exit %d, hung %v, %.300q", look[0], r.Code, r.Hung, r.Stderr)
		}
	}
	rng := rand.New(rand.NewPCG(s.Seed, s.Number+1<<40))
	args := append(w.args(buildNamed(s.Build), s.Input, "s"), "--threads", fmt.Sprint(1+rng.IntN(3)), "--memory", fmt.Sprintf("%dMiB", 150+rng.IntN(300)))
	r := w.run(w.home(), args...)
	switch {
	case r.Hung || r.panicked() || r.Code != 0 && r.Code != exitShort && !r.failed():
		s.wrong("going on: exit %d, hung %v, %.500q", r.Code, r.Hung, r.Stderr)
	case r.Code != 0 && r.Code != exitShort:
		s.Ended = "by an error"
		if s.Expect == resumed {
			s.wrong("going on: exit %d, %.500q", r.Code, r.Stderr)
		}
	default:
		p := &probes[0]
		lists := w.run(w.home(), p.args...)
		if wrong := p.judge(w.home(), &lists, string(g.gt)); wrong != "" {
			s.wrong("the build went on to its end, and its lists: %s (exit %d, %.300q)", wrong, lists.Code, lists.Stderr)
		} else if lists.Code != 0 {
			s.wrong("the build went on to its end, and no lists: exit %d, %.300q", lists.Code, lists.Stderr)
		}
		if r := w.run(w.home(), "check", "s", "--full"); r.Hung || r.panicked() || r.Code != 0 && s.Expect == resumed {
			s.wrong("the build went on to its end, and a check: exit %d, %.500q", r.Code, r.Stdout+r.Stderr)
		}
	}
}

// began starts a case in a clean folder.
func (w *world) began() error {
	_ = os.RemoveAll(w.home())
	if err := os.MkdirAll(filepath.Join(w.home(), "outside"), 0o777); err != nil {
		return err
	}
	for _, name := range []string{"precious", "lock", "rows", "links"} {
		if err := os.WriteFile(filepath.Join(w.home(), "outside", name), []byte("precious data of the user"), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// spoil attacks some files of the store of a case.
func (w *world) spoil(s *Spec, rng *rand.Rand, times int) error {
	store := filepath.Join(w.home(), "s")
	other := w.golden[s.Build+otherThan(s.Input)].dir
	for range times {
		files := filesOf(store)
		if len(files) == 0 {
			return nil
		}
		a := attacks[rng.IntN(len(attacks))]
		c := &attacked{rng: rng, store: store, rel: files[rng.IntN(len(files))], other: other, outside: filepath.Join(w.home(), "outside")}
		if err := a.do(c); err != nil {
			return fmt.Errorf("torture: %s on %s: %w", a.name, c.rel, err)
		}
		s.did("%s: %s", a.name, c.rel)
		s.Links = s.Links || strings.HasPrefix(c.rel, "search") || a.name == "two change places" || a.name == "folder out"
	}
	return nil
}

func otherThan(input string) string {
	if input == inputs[0] {
		return inputs[1]
	}
	return inputs[0]
}

// copyGolden puts the finished store of a case in its place.
func (w *world) copyGolden(s *Spec) error {
	return os.CopyFS(filepath.Join(w.home(), "s"), os.DirFS(w.golden[s.Build+s.Input].dir))
}

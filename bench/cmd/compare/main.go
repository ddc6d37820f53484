// Command compare runs the Go benchmarks of two commits in turn, and has benchstat say how
// they differ.
//
//	go run ./bench/cmd/compare main            # the working tree's commit against main
//	go run ./bench/cmd/compare -bench Leaf -packages ./builder/internal/leaves HEAD~3 HEAD
//
// Without -packages it measures all packages outside bench that have benchmarks in either commit:
// each kernel, a leaf, a join, a lookup, a query, an export and more.
//
// Each commit is checked out into a folder of its own, and its tests are compiled once. The
// two then run one after the other, as often as -count says, so that a slow minute of the
// machine meets both. Their output is kept in -out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// benchstat is run at this version, from the module proxy.
const benchstat = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

type comparison struct {
	pattern, benchtime string
	packages           []string
	count              int
	out                string
}

func main() {
	c := comparison{}
	packages := flag.String("packages", "", "packages to measure, by comma (default all with benchmarks outside bench)")
	flag.StringVar(&c.pattern, "bench", ".", "benchmarks to run, a regular expression")
	flag.StringVar(&c.benchtime, "benchtime", "200ms", "time or times of a benchmark, as go test takes it")
	flag.IntVar(&c.count, "count", 8, "runs of each commit")
	flag.StringVar(&c.out, "out", "", "folder for old.txt and new.txt (default a temporary one)")
	flag.Parse()
	if *packages != "" {
		c.packages = strings.Split(*packages, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func (c *comparison) run(ctx context.Context, commits []string) (err error) {
	switch len(commits) {
	case 1:
		commits = append(commits, "HEAD")
	case 2:
	default:
		return fmt.Errorf("%d commits, want the old one and, if it is not HEAD, the new one", len(commits))
	}
	if err := c.choosePackages(ctx, commits); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "knng-compare")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if c.out == "" {
		if c.out, err = os.MkdirTemp("", "knng-compared"); err != nil {
			return err
		}
	}
	var sides [2]*side
	for i, name := range []string{"old", "new"} {
		if sides[i], err = c.prepare(ctx, filepath.Join(folder, name), commits[i]); err != nil {
			return fmt.Errorf("%s: %w", commits[i], err)
		}
		defer sides[i].remove()
	}
	var texts [2]strings.Builder
	for run := range c.count {
		for i, s := range sides {
			if err := s.measure(ctx, c, &texts[i]); err != nil {
				return fmt.Errorf("%s, run %d: %w", commits[i], run+1, err)
			}
		}
		fmt.Fprintf(os.Stderr, "run %d of %d\n", run+1, c.count)
	}
	var files []string
	for i, name := range []string{"old.txt", "new.txt"} {
		files = append(files, filepath.Join(c.out, name))
		if err := os.WriteFile(files[i], []byte(texts[i].String()), 0o666); err != nil {
			return err
		}
	}
	return command(ctx, "", "go", append([]string{"run", benchstat}, files...)...).Run()
}

// choosePackages lists the packages of either commit that have benchmarks, if none were named,
// and holds those that were to the ones that have some.
func (c *comparison) choosePackages(ctx context.Context, commits []string) error {
	var found []string
	for _, commit := range commits {
		out, err := exec.CommandContext(ctx, "git", "grep", "-l", "^func Benchmark", commit, "--", ":/*_test.go").Output()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
			continue // no benchmarks in it
		}
		if err != nil {
			return fmt.Errorf("git grep in %s: %w", commit, err)
		}
		for line := range strings.Lines(string(out)) {
			_, file, _ := strings.Cut(strings.TrimSpace(line), ":")
			found = append(found, "./"+path.Dir(file))
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if c.packages == nil {
		c.packages = slices.DeleteFunc(slices.Clone(found), func(p string) bool { return strings.HasPrefix(p, "./bench/") })
	}
	for _, p := range c.packages {
		if !slices.Contains(found, p) {
			return fmt.Errorf("package %s has no benchmarks in %s; those that have: %s", p, strings.Join(commits, " nor "), strings.Join(found, ", "))
		}
	}
	return nil
}

// A side is one commit, checked out and compiled.
type side struct {
	folder string
	tests  map[string]string // of packages that the commit has: package -> binary
}

func (c *comparison) prepare(ctx context.Context, folder, commit string) (*side, error) {
	if err := command(ctx, "", "git", "worktree", "add", "--quiet", "--detach", folder, commit).Run(); err != nil {
		return nil, fmt.Errorf("git worktree add: %w", err)
	}
	s := &side{folder: folder, tests: map[string]string{}}
	for i, pkg := range c.packages {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(pkg))); err != nil {
			continue // of the other commit only
		}
		binary := filepath.Join(folder, fmt.Sprintf("compare-%d.test", i))
		if err := command(ctx, folder, "go", "test", "-c", "-o", binary, pkg).Run(); err != nil {
			s.remove()
			return nil, fmt.Errorf("go test -c %s: %w", pkg, err)
		}
		s.tests[pkg] = binary
	}
	return s, nil
}

// measure runs the benchmarks of all packages once.
func (s *side) measure(ctx context.Context, c *comparison, to *strings.Builder) error {
	for _, pkg := range c.packages {
		binary, ok := s.tests[pkg]
		if !ok {
			continue
		}
		run := command(ctx, filepath.Join(s.folder, filepath.FromSlash(pkg)), binary, "-test.run", "^$", "-test.bench", c.pattern, "-test.benchtime", c.benchtime)
		run.Stdout = to
		if err := run.Run(); err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
	}
	return nil
}

func (s *side) remove() {
	command(context.Background(), "", "git", "worktree", "remove", "--force", s.folder).Run()
}

func command(ctx context.Context, folder, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stdout, c.Stderr = folder, os.Stdout, os.Stderr
	return c
}

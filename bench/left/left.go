// Package left measures how well a build knows the time that it still takes: as its bar, its log
// and its JSON say it, and as knng info says it meanwhile.
package left

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Config is a build to measure.
type Config struct {
	Knng string   // the command
	Dir  string   // folder for the graph, which is removed
	Args []string // of knng build, without -o
}

// A Reading is the time left as it was said at some moment, in seconds of the build.
type Reading struct{ At, Left float64 }

// A Run is one build, watched.
type Run struct {
	Seconds float64
	Said    []Reading // by the build itself
	Info    []Reading // by knng info, beside it
}

// Faces are the ways in which a build shows its progress.
var Faces = []string{"json", "bar", "plain"}

// Watch builds once, with progress shown by one of Faces. A bar is drawn on a terminal that
// script(1) makes.
func (c *Config) Watch(ctx context.Context, face string) (*Run, error) {
	dir := filepath.Join(c.Dir, "left.knng")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args := append([]string{c.Knng, "build", "-o", dir, "--progress", face}, c.Args...)
	if face == "bar" {
		args = []string{"script", "-qefc", "stty cols 200; exec " + quoted(args), os.DevNull}
	}
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	r, w := io.Pipe()
	command.Stdout, command.Stderr = w, w
	run, began := new(Run), time.Now()
	at := func() float64 { return time.Since(began).Seconds() }
	if err := command.Start(); err != nil {
		return nil, err
	}
	heard, stop, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(heard)
		run.Said = listen(r, at)
	}()
	go func() {
		defer close(stopped)
		run.Info = c.ask(ctx, dir, stop, at)
	}()
	err := command.Wait()
	run.Seconds = at()
	w.Close()
	<-heard
	close(stop)
	<-stopped
	return run, err
}

// quoted are arguments for a shell.
func quoted(args []string) string {
	var words []string
	for _, arg := range args {
		words = append(words, "'"+strings.ReplaceAll(arg, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

// listen reads all that a build says, with its moment.
func listen(r io.Reader, at func() float64) (said []Reading) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	lines.Split(byLineOrReturn)
	for lines.Scan() {
		if left, ok := Parse(lines.Text()); ok {
			said = append(said, Reading{at(), left})
		}
	}
	_, _ = io.Copy(io.Discard, r) // a line too long must not stop the build
	return said
}

// byLineOrReturn splits at line ends and at the returns that redraw a bar.
func byLineOrReturn(data []byte, end bool) (advance int, token []byte, err error) {
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

var told = regexp.MustCompile(`in all \d+ %, (.+?) left`)

// Parse finds the seconds left in a line of a bar, a log or JSON.
func Parse(line string) (seconds float64, ok bool) {
	if strings.HasPrefix(line, "{") {
		var event struct {
			Left *float64 `json:"left_seconds"`
		}
		if json.Unmarshal([]byte(line), &event) != nil || event.Left == nil {
			return 0, false
		}
		return *event.Left, true
	}
	found := told.FindStringSubmatch(line)
	if found == nil {
		return 0, false
	}
	if number, short := strings.CutSuffix(found[1], " s"); short {
		seconds, err := strconv.ParseFloat(number, 64)
		return seconds, err == nil
	}
	long, err := time.ParseDuration(found[1])
	return long.Seconds(), err == nil
}

// ask asks knng info about once a second.
func (c *Config) ask(ctx context.Context, dir string, stop chan struct{}, at func() float64) (said []Reading) {
	for {
		select {
		case <-stop:
			return said
		case <-time.After(time.Second):
		}
		now := at()
		text, err := exec.CommandContext(ctx, c.Knng, "info", dir, "--json").Output()
		var info struct {
			Running bool
			Left    float64 `json:"left_seconds"`
			Links   *struct {
				Left float64 `json:"left_seconds"`
			} `json:"links_being_made"`
			Share float64
		}
		switch {
		case err != nil || json.Unmarshal(text, &info) != nil:
		case info.Running && info.Share > 0:
			said = append(said, Reading{now, info.Left})
		case info.Links != nil:
			said = append(said, Reading{now, info.Links.Left})
		}
	}
}

// Before is the last reading up to a moment, of said.
func Before(said []Reading, at float64) (r Reading, ok bool) {
	for _, s := range said {
		if s.At > at {
			break
		}
		r, ok = s, true
	}
	return r, ok
}

// Outside counts the readings from a tenth of the build on, but for its last part of so many
// seconds, and how many of them are wrong by more than a factor.
func (r *Run) Outside(said []Reading, factor, last float64) (outside, all int) {
	for _, s := range said {
		truth := r.Seconds - s.At
		if s.At < r.Seconds/10 || truth < last {
			continue
		}
		all++
		if s.Left > factor*truth || s.Left < truth/factor {
			outside++
		}
	}
	return outside, all
}

// Table prints the time left at every tenth of the builds, and how many readings are outside.
func Table(w io.Writer, runs map[string]*Run) error {
	var failed []error
	put := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format, args...)
		failed = append(failed, err)
	}
	for _, face := range Faces {
		run := runs[face]
		if run == nil {
			continue
		}
		put("\n%s, %.1f s:\n\n| done | left, truly | said | knng info |\n|---|---|---|---|\n", face, run.Seconds)
		for tenth := 1; tenth < 10; tenth++ {
			at := run.Seconds * float64(tenth) / 10
			put("| %d %% | %.1f s | %s | %s |\n", 10*tenth, run.Seconds-at, saidAt(run.Said, at), saidAt(run.Info, at))
		}
		const last = 2
		for i, said := range [][]Reading{run.Said, run.Info} {
			name := []string{face, "knng info"}[i]
			outside, all := run.Outside(said, 1.5, last)
			put("\n%s: %d of %d readings outside a factor of 1.5, from a tenth on, the last %d s left out\n", name, outside, all, last)
		}
	}
	return errors.Join(failed...)
}

// saidAt is the last reading before a moment, brought to that.
func saidAt(said []Reading, at float64) string {
	r, ok := Before(said, at)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.1f s", max(0, r.Left-(at-r.At)))
}

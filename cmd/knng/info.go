package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

const infoHelp = `Describe a directory: a finished graph, or a build that is running or was
interrupted, with its options and its progress. It does not disturb a running build.
Of a file of vectors it says the rows, their elements and their type.

  knng info photos.knng
  knng info photos.knng --json
  knng info photos.npy`

func newInfo(g *globals) *cobra.Command {
	column := ""
	c := &cobra.Command{
		Use: "info DIR|FILE", Short: "Describe a graph or a file of vectors, or show how far a build is", Long: infoHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return runInfo(c.Context(), g, a[0], column) },
	}
	c.Flags().StringVar(&column, "column", "", columnUsage)
	return c
}

func runInfo(ctx context.Context, g *globals, dir, column string) error {
	if isFile(dir) {
		return rowsInfo(ctx, g, dir, column)
	}
	if column != "" {
		return usageError{fmt.Errorf("--column is for a file of vectors, and %s is none", oneLine(dir))}
	}
	if living.Is(dir) {
		return livingInfo(ctx, g, dir)
	}
	state, err := store.StateOf(dir)
	if err != nil {
		return err
	}
	if state == store.Unfinished {
		return unfinishedInfo(g, dir)
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	info := s.Info()
	object, text, err := resultOf(info.Result, dir)
	if err != nil {
		return fmt.Errorf("result stored in %s: %w", dir, err)
	}
	links := linksInfo(dir)
	if g.json {
		m := info.Manifest
		members := map[string]any{"created": m.Created, "format": m.Format, "vectors": m.Vectors, "ids": info.IDs, "view": info.View,
			"options": optionsOf(m.Options), "files": m.Files}
		if links != nil {
			members["links_being_made"] = links
		}
		return g.printWith(object, members)
	}
	text(g)
	fmt.Fprintf(g.stdout, "built      %s by format %d, vectors %s, ids %v\n", info.Manifest.Created, info.Manifest.Format, info.Manifest.Vectors, info.IDs)
	lookups := "by the view"
	if !info.View {
		lookups = "through Pebble, there is no view (knng analyze " + operand(dir) + " --view makes one)"
	}
	fmt.Fprintf(g.stdout, "lookups    %s\n", lookups)
	printLinks(g, links)
	for _, f := range info.Manifest.Files {
		fmt.Fprintf(g.stdout, "input      %s: %d rows from %d, %s, sample %016x\n", oneLine(f.Path), f.Rows, f.First, size(f.Size), f.Sample)
	}
	return nil
}

// resultOf reads the result of a build or of a refinement and returns it as an object for
// JSON, and a function that prints it for people.
func resultOf(result []byte, dir string) (object any, text func(g *globals), err error) {
	built, refined := new(builder.Result), new(refine.Result)
	if err := json.Unmarshal(result, built); err != nil {
		return nil, nil, err
	}
	if built.Method != refine.Method {
		return flatten(built, dir), func(g *globals) { printResult(g, built, dir) }, nil
	}
	err = json.Unmarshal(result, refined)
	return flattenRefined(refined, dir), func(g *globals) { printRefined(g, refined, dir) }, err
}

// printWith prints an object with more members.
func (g *globals) printWith(object any, more map[string]any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for name, value := range more {
		if members[name], err = json.Marshal(value); err != nil {
			return err
		}
	}
	return g.printJSON(members)
}

// optionsOf are options by their names.
func optionsOf(list []store.Option) map[string]string {
	options := map[string]string{}
	for _, o := range list {
		options[o.Name] = o.Value
	}
	return options
}

func unfinishedInfo(g *globals, dir string) error {
	p, err := store.ProgressOf(dir)
	if errors.Is(err, store.ErrLocked) {
		return runningInfo(g, dir, err)
	}
	if errors.Is(err, store.ErrEarly) {
		return earlyInfo(g, dir)
	}
	if err != nil {
		return err
	}
	m := p.Manifest
	stages := builder.StagesIn(p.State)
	told, _ := toldOf(dir)
	if g.json {
		return g.printJSON(map[string]any{"dir": dir, "finished": false, "running": false, "rows": m.Rows, "dim": m.Dim, "k": m.K, "metric": m.Metric,
			"stages": stages, "options": optionsOf(m.Options), "files": m.Files, "share": told.Kept, "seconds": told.Seconds, "left_seconds": told.KeptLeft})
	}
	fmt.Fprintf(g.stdout, "%s: unfinished; give its build command again to continue\n", dir)
	if told.Kept > 0 {
		fmt.Fprintf(g.stdout, "stopped    after %s; %d %% of the work is kept, with about %s left\n", short(seconds(told.Seconds)), wholePercent(told.Kept), short(seconds(told.KeptLeft)))
	} else if told.Seconds > 0 {
		fmt.Fprintf(g.stdout, "stopped    after %s; nothing of the work is kept yet\n", short(seconds(told.Seconds)))
	}
	fmt.Fprintf(g.stdout, "input      %d rows of %d %s, k=%d, %s; begun %s\n", m.Rows, m.Dim, m.Type, m.K, m.Metric, m.Created)
	for _, f := range m.Files {
		fmt.Fprintf(g.stdout, "file       %s\n", oneLine(f.Path))
	}
	var options []string
	for _, o := range m.Options {
		options = append(options, o.Name+"="+o.Value)
	}
	fmt.Fprintf(g.stdout, "options    %s\n", oneLine(strings.Join(options, " ")))
	for _, s := range stages {
		fmt.Fprintf(g.stdout, "done       %s\n", s)
	}
	fmt.Fprintf(g.stdout, "disk       %s\n", size(p.Disk))
	return nil
}

// earlyInfo tells of a build of whose first second nothing is left.
func earlyInfo(g *globals, dir string) error {
	if g.json {
		return g.printJSON(map[string]any{"dir": dir, "finished": false, "begins_anew": true})
	}
	fmt.Fprintf(g.stdout, "%s: killed in its first second; give its build command again, which begins anew\n", oneLine(dir))
	return nil
}

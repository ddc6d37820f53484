// Command knng builds, reads and checks k-NN graphs on disk.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/cmd/interrupt"
	"github.com/knng/knng/store"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main without the process: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, signalled, stop := interrupt.Notify()
	defer stop()
	out := &output{w: stdout}
	g := &globals{stdout: out, stderr: stderr, args: args}
	root := newRoot(g)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	g.close()
	if err != nil && !g.began && out.err == nil { // cobra's own errors come before any command
		err = usageError{err}
	}
	if out.err != nil {
		err = unprinted(err, out.err)
	}
	code := exitCode(err)
	if code, ok := signalled.Code(err); ok {
		return code
	}
	if option := new(builder.OptionError); errors.As(err, &option) {
		err = byFlags(command, err)
	}
	if errors.Is(err, store.ErrCorrupt) {
		err = withRemedy(err)
	}
	if err != nil && !errors.Is(err, errSilent) {
		fmt.Fprintln(stderr, "knng:", harmless(g.plain(err), "\n\t"))
	}
	return code
}

// unprinted is the error of a command whose stdout failed. The command may have returned that failure too, or have ended
// with an error of its own, which is the one that counts.
func unprinted(err, failure error) error {
	if err == nil {
		return fmt.Errorf("stdout: %w: the output is incomplete, all else is done", failure)
	}
	if errors.Is(err, failure) {
		return fmt.Errorf("stdout: %w: the output is incomplete", failure)
	}
	if errors.Is(err, errSilent) { // damage keeps its exit code
		return fmt.Errorf("stdout: %v: the output is incomplete, and names damage", failure)
	}
	return err
}

// packageNames are those that errors of packages, and errors within them, begin with. Users of the
// command need not know them.
var packageNames = regexp.MustCompile(`(?:(?m:^)|: )(?:(?:builder|cache|codes|distance|division|export|groups|keyed|living|objects|offheap|pieces|postings|rebuild|recall|refine|search|sparse|sparsesearch|store|vectors): )+`)

// withoutPackages takes the names of packages out of a message. One that is an argument of the command
// stays: it may name a file.
func withoutPackages(message string, args []string) string {
	return packageNames.ReplaceAllStringFunc(message, func(names string) string {
		kept := ""
		if strings.HasPrefix(names, ": ") {
			kept, names = ": ", names[2:]
		}
		for _, name := range slices.Compact(strings.Split(strings.TrimSuffix(names, ": "), ": ")) { // a package, and its file
			if slices.ContainsFunc(args, func(arg string) bool { return arg == name || strings.HasSuffix(arg, "="+name) }) {
				kept += name + ": "
			}
		}
		return kept
	})
}

// globals are the flags that every command has.
type globals struct {
	json       bool
	quiet      bool
	progress   string
	cpuProfile string

	stdout, stderr io.Writer
	profile        *os.File
	began          bool     // the command line was understood
	args           []string // of the command
}

// plain is the text of an error for people.
func (g *globals) plain(err error) string { return withoutPackages(withoutCall(err), g.args) }

// withoutCall is the text of an error, of a file without the name of the system's call. Where the
// folder of the file is not there, it says so: the name is likely that of an output.
func withoutCall(err error) string {
	text, fault := err.Error(), (*fs.PathError)(nil)
	if !errors.As(err, &fault) || strings.HasSuffix(fault.Op, "at") && fault.Op != "stat" && fault.Op != "lstat" {
		return text // openat and the like name a path within a folder
	}
	plain := fault.Path + ": " + fault.Err.Error()
	folder := filepath.Dir(fault.Path)
	if _, gone := os.Stat(folder); errors.Is(fault.Err, fs.ErrNotExist) && errors.Is(gone, fs.ErrNotExist) {
		plain += " (there is no folder " + folder + ")"
	}
	return strings.Replace(text, fault.Error(), plain, 1)
}

// plainErrors are the arguments of a line, errors among them as their plain texts.
func (g *globals) plainErrors(a []any) []any {
	plain := slices.Clone(a)
	for i := range plain {
		if err, ok := plain[i].(error); ok {
			plain[i] = g.plain(err)
		}
	}
	return plain
}

const rootHelp = `knng builds k-nearest-neighbor graphs of vectors on disk, larger than memory,
resumes them after any interruption, measures them, and looks neighbors up.

  knng demo                                    # on the functions of the Go standard library
  knng build photos.npy -o photos.knng -k 20   # run it again after an interruption
  knng neighbors photos.knng 17 42
  knng search photos.knng queries.npy -k 10    # vectors that are not in the graph
  knng recall photos.knng
  knng export photos.knng -o graph.npz --for sklearn
  knng explore photos.knng                     # a page to look at`

func newRoot(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use: "knng", Short: "k-nearest-neighbor graphs on disk", Long: rootHelp, Version: versionLine(),
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return g.open(c) },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	f := root.PersistentFlags()
	f.BoolVar(&g.json, "json", false, "print one JSON object on stdout")
	f.BoolVar(&g.quiet, "quiet", false, "print no progress and no summary")
	f.StringVar(&g.progress, "progress", "auto", "progress on stderr: auto, bar, plain, json or none")
	f.StringVar(&g.cpuProfile, "cpuprofile", "", "write a CPU profile to this new file")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%s; see \"%s --help\"", parsing.ReplaceAllString(err.Error(), ""), c.CommandPath())}
	})
	root.AddCommand(newBuild(g), newPlan(g), newNeighbors(g), newSearch(g), newRecall(g), newExport(g), newInfo(g), newCheck(g), newAnalyze(g),
		newAppend(g), newDelete(g), newCompact(g), newMerge(g), newBackup(g), newUnite(g), newStage(g),
		newRefine(g), newExplore(g), newDump(g), newConvert(g), newDemoCommand(g), newVersion(g),
		&cobra.Command{Use: "exit-codes", Short: "The exit codes and their meanings", Long: exitHelp})
	for _, command := range more {
		root.AddCommand(command(g))
	}
	g.setHelp(root)
	return root
}

// more are commands that some builds have.
var more []func(*globals) *cobra.Command

// open checks the global flags and the outputs, and starts the profile. The name of the command is none of its arguments.
func (g *globals) open(c *cobra.Command) (err error) {
	g.began = true
	if i := slices.Index(g.args, c.Name()); i >= 0 {
		g.args = slices.Delete(slices.Clone(g.args), i, i+1)
	}
	switch g.progress {
	case "auto", "bar", "plain", "json", "none":
	default:
		return usageError{fmt.Errorf("--progress is %q, want auto, bar, plain, json or none", g.progress)}
	}
	if err := outsideStores(c.Flags()); err != nil {
		return err
	}
	if g.cpuProfile == "" {
		return nil
	}
	if g.profile, err = os.OpenFile(g.cpuProfile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); errors.Is(err, fs.ErrExist) {
		return taken(g.cpuProfile)
	} else if err != nil {
		return err
	}
	return pprof.StartCPUProfile(g.profile)
}

func (g *globals) close() {
	if g.profile != nil {
		pprof.StopCPUProfile()
		g.profile.Close()
	}
}

// log prints the messages of libraries.
func (g *globals) log(format string, a ...any) {
	if g.way() == "json" { // every line of which is an object
		g.say(format, a...)
		return
	}
	fmt.Fprintf(g.stderr, "knng: "+format+"\n", g.plainErrors(a)...)
}

// parsing is the part of an error of a flag that names Go's functions.
var parsing = regexp.MustCompile(`strconv\.\w+: parsing ".*": `)

// args turns a cobra argument check into a usage error. An empty argument is refused as well: as a path it would be taken
// for the current folder.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if err := check(c, a); err != nil {
			return usageError{fmt.Errorf("wrong number of arguments: %d; usage: %s", len(a), c.UseLine())}
		}
		if i := slices.Index(a, ""); i >= 0 {
			return usageError{fmt.Errorf("%s is empty; usage: %s", argumentName(c, i), c.UseLine())}
		}
		return nil
	}
}

// argumentName is the name of an argument in the usage of a command, whose last argument may be repeated.
func argumentName(c *cobra.Command, i int) string {
	var names []string
	for _, word := range strings.Fields(c.Use)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		names = append(names, strings.Trim(word, "[]."))
	}
	return names[min(i, len(names)-1)]
}

// requireOutput makes a missing --output a usage error.
func requireOutput(c *cobra.Command) {
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if out, err := c.Flags().GetString("output"); err == nil && out != "" {
			return nil
		}
		return usageError{fmt.Errorf("--output is missing; usage: %s", c.UseLine())}
	}
}

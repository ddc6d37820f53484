package paper

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/front"
	"github.com/knng/knng/vectors/distance"
)

// Page draws the figures and writes two pages: paper.md has the claims with their verdicts and the
// conditions, paper-details.md the tables behind them.
func (c *Config) Page(log *Log) error {
	figures, parts, err := c.figures(log.Runs())
	if err != nil {
		return err
	}
	reports, err := c.reports()
	if err != nil {
		return err
	}
	theory, err := c.theoryFigures(reports)
	if err != nil {
		return err
	}
	claims := append(Claims(log.Runs()), theoryClaims(reports)...)
	curves, others := split(figures)
	var page, details bytes.Buffer

	c.heading(&page)
	claimSummary(&page, claims)
	limits(&page, claims)
	fmt.Fprintf(&page, "\n## Figures\n")
	show(&page, curves)
	glossary(&page)
	c.conditions(&page, log.Runs())

	fmt.Fprintf(&details, "# The paper, reproduced: details\n\nThe claims, the systems and the conditions are on [the page of findings](paper.md). Here are the tables behind them.\n")
	claimTable(&details, claims, spread(log.Runs()))
	fmt.Fprintf(&details, "\n## Figures\n")
	show(&details, others)
	bruteTable(&details, log.Runs())
	targetTables(&details, log.Runs())
	growthTable(&details, log.Runs())
	fmt.Fprintf(&details, "\n## The theory\n\nSome trees estimate P for every pair; others are what is found. \"By hyperplanes\" is the paper's P^h, which supposes that the hyperplanes of a tree are alike and independent; \"by trees\" supposes only that trees are (package comment of bench/theory).\n")
	show(&details, theory)
	theoryTable(&details, reports)
	ablationSection(&details, log.Runs(), parts)
	fixedTable(&details, log.Runs())
	if err := accounts(&details); err != nil {
		return err
	}
	unfinished(&details, log.Runs())

	if err := os.WriteFile(filepath.Join(c.Out, "paper.md"), page.Bytes(), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.Out, "paper-details.md"), details.Bytes(), 0o666)
}

// split returns the figures of time and growth, which the page of findings shows, and the others.
func split(figures []Figure) (curves, others []Figure) {
	for _, fig := range figures {
		if name := filepath.Base(fig.File); strings.HasPrefix(name, "time-") || strings.HasPrefix(name, "growth-") {
			curves = append(curves, fig)
		} else {
			others = append(others, fig)
		}
	}
	return curves, others
}

// show shows figures.
func show(w io.Writer, figures []Figure) {
	for _, fig := range figures {
		fmt.Fprintf(w, "\n%s\n\n[![](%s.png)](%s.svg)\n", fig.Caption, fig.File, fig.File)
	}
}

// heading says which experiments the page has, and whether all were run.
func (c *Config) heading(w io.Writer) {
	fmt.Fprintf(w, "# The paper, reproduced\n\n")
	fmt.Fprintf(w, "Wang et al., \"Scalable k-NN graph construction\", section \"Experiments\": every system that the paper compares, run anew.\n\n")
	if c.Quick {
		fmt.Fprintf(w, "**This is the quick form: few rows, few settings, one seed. It shows that everything works; its numbers are not results.**\n\n")
	}
	if c.left > 0 {
		fmt.Fprintf(w, "**%d builds (about %.0f minutes; finer grids, more seeds, all rows) were left out when the time was over; the same command goes on with them.**\n\n", c.left, c.leftTime.Minutes())
	}
}

// conditions describes the runs, the machine and the commands.
func (c *Config) conditions(w io.Writer, runs []Run) {
	fmt.Fprintf(w, "\n## Conditions\n\n")
	var dates, commits, commands []string
	threads := map[int]bool{}
	for _, r := range runs {
		dates = append(dates, r.Date)
		commits = append(commits, r.Commit)
		commands = append(commands, "`"+budgets.ReplaceAllString(r.Command, "")+"`")
		threads[r.Threads] = true
	}
	slices.Sort(dates)
	slices.Sort(commits)
	slices.Sort(commands)
	fmt.Fprintf(w, "- machine: %s\n", strings.Join(machines(runs), "; "))
	fmt.Fprint(w, steadiness(runs))
	if len(dates) > 0 {
		fmt.Fprintf(w, "- runs: %d, from %s to %s\n", len(runs), dates[0], dates[len(dates)-1])
	}
	fmt.Fprintf(w, "- commit: %s\n", strings.Join(slices.Compact(commits), ", "))
	fmt.Fprintf(w, "- threads: %v\n", sortedInts(threads))
	fmt.Fprintf(w, "- commands:\n")
	for _, line := range slices.Compact(commands) {
		fmt.Fprintf(w, "  - %s\n", line)
	}
	fmt.Fprintf(w, "- these pages from the runs in [runs.jsonl](runs.jsonl): `go run ./bench/cmd/paper -page -out bench/results`\n")
	fmt.Fprintf(w, "\nTime runs from rows in memory to lists in memory. knng's three write a store as they go: that is in their time, and costs them most where rows are few and -scratch is a disk; its background work may use a second core; what comes after the lists (adjacency, checksum, seal) is not. Comparisons are of rows: those that UnoST09 makes of strings do not count, nor do projections. Accuracy is recall@k of a sample of rows, the same for all systems%s. Where there are several seeds, medians are shown.\n", intervals(runs))
}

// budgets are left out of commands: they limit a session, and change no run.
var budgets = regexp.MustCompile(` -budget[ =]\S+`)

// machine describes this machine.
func machine() string {
	return fmt.Sprintf("%s, %d CPUs, kernel %s, %s %s/%s", processor(), runtime.NumCPU(), distance.Kernel(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// machines are those of the runs; the first ones did not say.
func machines(runs []Run) (all []string) {
	for _, r := range runs {
		if r.Machine != "" {
			all = append(all, r.Machine)
		}
	}
	if len(all) == 0 {
		all = []string{machine()}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// intervals says how precisely accuracy is known about 90 %, by k.
func intervals(runs []Run) string {
	widest := map[int]float64{}
	for _, r := range runs {
		if r.Study == accuracyStudy && r.Recall.Recall > 0.85 && r.Recall.Recall < 0.95 {
			widest[r.K] = max(widest[r.K], (r.Recall.High-r.Recall.Low)/2)
		}
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(widest)) {
		parts = append(parts, fmt.Sprintf("%.2g %% at k = %d", 100*widest[k], k))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (its 95 % interval about 90 % is at most ± " + strings.Join(parts, ", ") + ")"
}

// steadiness tells of how many runs it is known that they were made in good hours.
func steadiness(runs []Run) string {
	good := goodYardstick(runs)
	if good == 0 {
		return ""
	}
	var times []float64
	slow := 0
	for i := range runs {
		if y := runs[i].Yardstick; y > 0 {
			times = append(times, y)
			if !runs[i].steady(good) {
				slow++
			}
		}
	}
	slices.Sort(times)
	text := fmt.Sprintf("- steadiness: before each of %d builds a fixed piece of work took %.3g to %.3g s, median %.3g, first quartile %.3g; %d builds, before which it took over %g times that, are of slow hours",
		len(times), times[0], times[len(times)-1], times[len(times)/2], good, slow, slower)
	if before := len(runs) - len(times); before > 0 {
		text += fmt.Sprintf("; %d builds were made before that was kept, at times on a machine that took four times as long", before)
	}
	return text + ". Where a system has builds of good hours, others tell nothing of its time\n"
}

func sortedInts(set map[int]bool) (all []int) {
	for v := range set {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}

// processor names the CPU, where the system tells.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// claimSummary is a line for each claim: on which rows it holds, and on which not.
func claimSummary(w io.Writer, claims []Claim) {
	count := map[Verdict]int{}
	for _, c := range claims {
		count[c.Verdict]++
	}
	fmt.Fprintf(w, "**%d claims in %d cases: %d hold, %d do not, %d cannot be told.** The systems are explained [below](#the-systems-and-their-settings); what was found in each case is in [the details](paper-details.md#what-was-found).\n\n## The claims\n\n| the paper's claim | holds | does not hold | cannot be told |\n|---|---|---|---|\n",
		len(texts(claims)), len(claims), count[Holds], count[Not], count[Unknown])
	for _, text := range texts(claims) {
		fmt.Fprintf(w, "| %s |", text)
		for _, verdict := range []Verdict{Holds, Not, Unknown} {
			var on []string
			for _, c := range claims {
				if c.Text == text && c.Verdict == verdict {
					on = append(on, c.Matrix)
				}
			}
			fmt.Fprintf(w, " %s |", strings.Join(on, "; "))
		}
		fmt.Fprintln(w)
	}
}

// texts are the claims, each once, in the order in which they come.
func texts(claims []Claim) (all []string) {
	for _, c := range claims {
		if !slices.Contains(all, c.Text) {
			all = append(all, c.Text)
		}
	}
	return all
}

// glossary explains the systems and the names of their settings.
func glossary(w io.Writer) {
	fmt.Fprint(w, `
## The systems and their settings

All make lists of the k nearest neighbors of every row of a matrix.

- **divisions** (ours): M random partition trees with leaves of fewer than 500 rows; all pairs of a leaf are compared. **With propagation**: then every row visits neighbors of neighbors, best first, until T (500) are visited.
- **knng's default**: overlapping balls, all pairs of a leaf by codes of bytes, joins of neighbors, until the recall asked for is reached.
- **ChenFS09 Overlap, Glue**: rows are halved along their principal direction, by halves that share alpha of the rows or with a third that straddles the border; after each merge every row is compared with the neighbors of its neighbors. With "table" no pair is compared twice.
- **VirmajokiF04**: halves along the principal direction, and a third subset of that share of the rows around the border, recursively.
- **UnoST09**: rows become strings of random hyperplanes' signs (letters); rows whose strings differ in few letters (errors) are compared, for several sets of strings.
- **kd-trees**: every row is a query to randomised kd-trees, best bin first, which compares so many rows (checks).
- **NN-descent** (2011, after them): neighbors of neighbors with lists of K, from random ones.
- **brute force**: all pairs; naive is one distance after the other in plain Go, blocked is by the kernels that all systems here share, tiles are knng's exact method.

Pairs asked for are those that a system wanted to compare; comparisons leave out those that its table knew.
`)
}

// claimTable prints the finding for each claim.
func claimTable(w io.Writer, claims []Claim, factor float64) {
	fmt.Fprintf(w, "\n## What was found\n\n| the paper's claim | matrix | found | verdict |\n|---|---|---|---|\n")
	for _, text := range texts(claims) {
		for _, c := range claims {
			if c.Text == text {
				fmt.Fprintf(w, "| %s | %s | %s | **%s** |\n", c.Text, c.Matrix, c.Found, c.Verdict)
			}
		}
	}
	fmt.Fprintf(w, "\n\"Any other\" is the systems that the paper compares: %s. At an accuracy between two settings, time is read from the straight line between them in the logarithms of time and of what is missed. ", strings.Join(Rivals, ", "))
	fmt.Fprintf(w, "A system that has not reached an accuracy takes more than its most accurate build did. Of builds that differ in the seed alone nine of ten pairs took at most %.2g times as long as each other, by what else the machine did: \"within the spread of times\" are verdicts that such a factor could turn.\n", factor)
}

// bruteTable is the paper's Table 1.
func bruteTable(w io.Writer, runs []Run) {
	fmt.Fprintf(w, "\n## Brute force\n\nNaive is timed on %d rows and scaled, blocked is by the kernels that all systems here share, tiles are knng's exact method. The paper's, of 1,000,000 rows each: 2,034 and 2,067 minutes with 128 dimensions, 5,737 and 5,823 with 384 (2.66 GHz).\n\n| matrix | k | naive, s | blocked, s | tiles, s | comparisons, naive | comparisons, blocked and tiles |\n|---|---|---|---|---|---|---|\n", naiveRows)
	for _, v := range views(runs) {
		for _, k := range v.ks() {
			fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %s | %s |\n", v.name(), k, v.only(Naive, k, byTime), v.only(Blocked, k, byTime), v.only(Tiles, k, byTime),
				v.only(Naive, k, byCount), v.only(Blocked, k, byCount))
		}
	}
	for _, v := range views(runs) {
		if naive := v.points(Naive, 20, byTime); v.rows == 1_000_000 && len(naive) > 0 {
			fmt.Fprintf(w, "\nNaive, %s takes %.0f minutes on this machine by that table, where the paper's took 2,034: the yardstick of its percentages is the same.\n", v.name(), naive[0].Cost/60)
		}
	}
}

// byCount is comparisons without a unit.
var byCount = cost{"comparisons", comparisonsOf, func(*view) float64 { return 1 }}

// only is the cost of a system of one setting.
func (v *view) only(system string, k int, c cost) string {
	if points := v.points(system, k, c); len(points) > 0 {
		return fmt.Sprintf("%.4g", points[0].Cost)
	}
	return "-"
}

var targets = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99}

// targetTables give times and comparisons at equal accuracy.
func targetTables(w io.Writer, runs []Run) {
	fmt.Fprintf(w, "\n## Cost at equal accuracy\n\nSeconds, and in brackets comparisons as %% of all pairs. - : not reached, or not run; < : the cheapest setting reaches more.\n")
	for _, v := range compared(runs) {
		for _, k := range v.ks() {
			if !slices.ContainsFunc(v.runs, func(r Run) bool { return r.K == k && r.Recall.Recall > targets[0] && !slices.Contains(Brute, r.System) }) {
				continue
			}
			fmt.Fprintf(w, "\n### %s, k = %d\n\n| system |", v.name(), k)
			for _, t := range targets {
				fmt.Fprintf(w, " %g %% |", 100*t)
			}
			fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(targets)))
			for _, system := range Systems[:len(Systems)-1] {
				v.targetRow(w, system, k)
			}
		}
	}
}

func (v *view) targetRow(w io.Writer, system string, k int) {
	times, pairs := front.Of(v.points(system, k, byTime)), front.Of(v.points(system, k, byComparisons))
	if len(times) == 0 {
		return
	}
	fmt.Fprintf(w, "| %s |", system)
	for _, t := range targets {
		seconds, ok := front.At(times, t)
		share, _ := front.At(pairs, t)
		below := ""
		if t < times[0].Recall {
			below = "< "
		}
		if ok {
			fmt.Fprintf(w, " %s%.3g (%.3g) |", below, seconds, 100*share)
		} else {
			fmt.Fprintf(w, " - |")
		}
	}
	fmt.Fprintln(w)
}

// growthTable gives exponents.
func growthTable(w io.Writer, runs []Run) {
	fmt.Fprintf(w, "\n## Growth with n\n\nOf knng's, pairs are counted before its cache.\n\n| data | system | setting | rows | comparisons ~ | time ~ | recall, first to last |\n|---|---|---|---|---|---|---|\n")
	for _, data := range studied(runs) {
		for _, system := range Systems {
			for _, study := range []string{rowsStudy, refinedStudy} {
				all := growing(runs, study, data, system)
				comparisons, seconds, ok := powers(all, rowsOf)
				if !ok {
					continue
				}
				last := all[len(all)-1]
				fmt.Fprintf(w, "| %s | %s | %s | %d to %d | n^%.2f | n^%.2f | %.3f to %.3f |\n", data, system, last.Setting, all[0].Rows, last.Rows,
					comparisons, seconds, all[0].Recall.Recall, last.Recall.Recall)
			}
		}
	}
}

// accounts prints the points that each original leaves open, in the words of the packages.
func accounts(w io.Writer) error {
	all, err := baseline.Accounts()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n## What each paper leaves open, and how it was settled\n\nThese are the package comments of bench/baseline.\n")
	for _, a := range all {
		fmt.Fprintf(w, "\n### %s\n\n%s\n", a.Package, a.Text)
	}
	return nil
}

// limits names the claims that do not hold, and what differs from the paper.
func limits(w io.Writer, claims []Claim) {
	fmt.Fprintf(w, "\n## What could not be reproduced, and why\n\n")
	unreproduced(w, claims)
	fmt.Fprintf(w, "- The paper's Ukbench and ImageNet sets, and the whole of its TinyImage set, have no analogue here.\n")
	fmt.Fprintf(w, "- Its authors ran the published program of ChenFS09; here all systems are written anew, on the same kernels for distances and projections; principal axes are summed by gonum's.\n")
	fmt.Fprintf(w, "- The kernels compare rows far faster than the paper's machine did, the rest of a system less so: comparisons are a fairer measure against the paper's curves than times.\n")
}

// unfinished lists the runs that failed, and by system those that took too long.
func unfinished(w io.Writer, runs []Run) {
	late := map[string][]string{}
	var order []string
	for _, r := range runs {
		where := fmt.Sprintf("%s on %s, k = %d", r.System, r.matrix(), r.K)
		how := ""
		switch {
		case r.Expected > 0:
			how = fmt.Sprintf("%s was not begun, as %.0f s were expected", r.Setting, r.Expected)
		case r.TimedOut:
			how = fmt.Sprintf("%s was not done after %.0f s", r.Setting, r.Seconds)
		case r.Error != "":
			how = fmt.Sprintf("%s failed: %s", r.Setting, r.Error)
		default:
			continue
		}
		if late[where] == nil {
			order = append(order, where)
		}
		if !slices.Contains(late[where], how) {
			late[where] = append(late[where], how)
		}
	}
	if len(order) > 0 {
		fmt.Fprintf(w, "\n## Settings that were left out\n\n")
	}
	for _, where := range order {
		fmt.Fprintf(w, "- %s: %s; costlier settings were left out.\n", where, strings.Join(late[where], "; "))
	}
}

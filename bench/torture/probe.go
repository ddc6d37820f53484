package torture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A probe is a command that is given an attacked store, "s" in its folder, and the part of its
// output that is its answer.
type probe struct {
	name string
	args []string
	file string         // that it writes, which is the answer; "": the answer is on stdout
	keep *regexp.Regexp // the parts of stdout that are the answer; nil: all
	drop *regexp.Regexp // parts that are not
	also *regexp.Regexp // of stdout: another end that is right
}

const (
	listsProbe = "lists"
	checkProbe = "check"
)

// found are the results of a search, without its counts.
var found = regexp.MustCompile(`"(query|rank|row|distance)": [-0-9.e+]+`)

// unsealed is in info's answer for a store without a seal, which is taken for a build that is to go on.
var unsealed = regexp.MustCompile(`"finished": false`)

// inNeighbors is the part of an analysis that is of DIR/reverse, which may be deleted.
var inNeighbors = regexp.MustCompile(`(?s),?\s*"in_neighbors": \{.*?\}`)

var probes = []probe{
	{name: listsProbe, args: []string{"export", "s", "-o", "out.gt", "--format", "gt", "--force", "--quiet"}, file: "out.gt"},
	{name: "neighbors", args: []string{"neighbors", "s", "17", "--json"}},
	{name: "search", args: []string{"search", "s", "{queries}", "-k", "5", "--json"}, keep: found},
	{name: "search row", args: []string{"search", "s", "--row", "2999", "-k", "5", "--json"}, keep: found},
	{name: "info", args: []string{"info", "s", "--json"}, keep: regexp.MustCompile(`"checksum": "[0-9a-f]+"`), also: unsealed},
	{name: "analyze", args: []string{"analyze", "s", "--json"}, drop: inNeighbors},
	{name: "recall", args: []string{"recall", "s", "--json"}, keep: regexp.MustCompile(`"(recall|low|high)": [0-9.]+`)},
	{name: checkProbe, args: []string{"check", "s", "--json"}, keep: regexp.MustCompile(`"faults": \[\]`)},
}

// answer is the answer of a probe that exited with 0.
func (p *probe) answer(home string, r *result) string {
	if p.file != "" {
		path := filepath.Join(home, p.file)
		data, _ := os.ReadFile(path) // where there is none the answer is "", which no golden one is
		os.Remove(path)
		return string(data)
	}
	if p.drop != nil {
		return p.drop.ReplaceAllString(r.Stdout, "")
	}
	if p.keep == nil {
		return r.Stdout
	}
	return strings.Join(p.keep.FindAllString(r.Stdout, -1), "\n")
}

// judge describes the fault in the end of a command; "" where there is none. answers are
// those that it may give; any where there are none.
func (p *probe) judge(home string, r *result, answers ...string) (wrong string) {
	switch {
	case r.Hung:
		return "did not end"
	case r.panicked():
		return "panicked"
	case r.Code == 0:
		got := p.answer(home, r)
		for _, want := range answers {
			if got == want {
				return ""
			}
		}
		if len(answers) > 0 && (p.also == nil || !p.also.MatchString(r.Stdout)) {
			return "another answer than the intact store's, and no error"
		}
		return ""
	case !r.failed() && p.name != checkProbe: // a check prints what it finds on stdout
		return "failed without a word"
	}
	return ""
}

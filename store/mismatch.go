package store

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/vectors"
)

// MismatchError lists every difference between the options asked and those
// that the store was begun with. errors.Is(err, ErrMismatch) holds.
type MismatchError struct {
	Dir         string // of the store
	Differences []Difference
}

// Difference is one option whose value differs: that of the store, and that asked for.
type Difference struct{ Name, Have, Want string }

// Error lists the differences: values that differ, options asked for that the store does not have, and the names of
// options that only the store has.
func (e *MismatchError) Error() string {
	var list, asked, there []string
	for _, d := range e.Differences {
		name, have, want := d.shown()
		switch {
		case d.Have == absent:
			asked = append(asked, name+" "+want)
		case d.Want == absent:
			there = append(there, name)
		default:
			list = append(list, fmt.Sprintf("%s: %s there, %s asked", name, have, want))
		}
	}
	if len(asked) > 0 {
		list = append(list, "only asked: "+strings.Join(asked, ", "))
	}
	if len(there) > 0 {
		list = append(list, "only there: "+strings.Join(there, ", "))
	}
	return fmt.Sprintf("store: %s was begun with other options or rows (%s): give those again, or another directory", e.Dir, strings.Join(list, "; "))
}

// digests matches checksums in a value. Messages show their beginning only: enough to see that they differ.
var digests = regexp.MustCompile(`\b([0-9a-f]{8})[0-9a-f]{8,}\b`)

func brief(value string) string { return digests.ReplaceAllString(value, "$1...") }

// shown returns a difference for people. It names lists to begin with by their graphs.
func (d Difference) shown() (name, have, want string) {
	have, want = brief(d.Have), brief(d.Want)
	switch d.Name {
	case "rows-hash":
		return "hash of the rows", short(d.Have), short(d.Want) // it may have fewer digits than digests
	case "start":
		if a, b := graphsIn(d.Have), graphsIn(d.Want); a != b {
			have, want = a, b
		}
		return "lists to begin with", have, want
	}
	return d.Name, have, want
}

// short is the beginning of a long value.
func short(value string) string {
	if len(value) <= 12 {
		return value
	}
	return value[:8] + "..."
}

// graphsIn names the graphs whose checksums a value has.
func graphsIn(value string) string {
	var graphs []string
	for _, sum := range digests.FindAllString(value, -1) {
		graphs = append(graphs, brief(sum))
	}
	if len(graphs) == 0 {
		return brief(value)
	}
	return "of " + strings.Join(graphs, " and ")
}

// Is makes errors.Is(err, ErrMismatch) hold.
func (e *MismatchError) Is(target error) bool { return target == ErrMismatch }

// compareManifests returns a MismatchError unless want asks for the result of m.
func compareManifests(dir string, m, want *Manifest) error {
	e := &MismatchError{Dir: dir}
	differ := func(name string, have, want any) {
		if h, w := fmt.Sprint(have), fmt.Sprint(want); h != w {
			e.Differences = append(e.Differences, Difference{name, h, w})
		}
	}
	differ("rows", m.Rows, want.Rows)
	differ("dimension", m.Dim, want.Dim)
	differ("type", m.Type, want.Type)
	differ("vectors", m.Vectors, want.Vectors)
	for _, o := range want.Options {
		differ(o.Name, optionOf(m, o.Name), o.Value)
	}
	for _, o := range m.Options {
		if optionOf(want, o.Name) == absent {
			differ(o.Name, o.Value, absent)
		}
	}
	if !slices.Equal(m.Offsets, want.Offsets) {
		differ("offsets of columns", describeOffsets(m.Offsets), describeOffsets(want.Offsets))
	}
	differ("input files", len(m.Files), len(want.Files))
	for i := range min(len(m.Files), len(want.Files)) {
		have, asked := m.Files[i], want.Files[i]
		if have.Size != asked.Size || have.Sample != asked.Sample || have.Rows != asked.Rows {
			differ("input", describeFile(have), describeFile(asked))
		}
		differ("column of "+asked.Path, have.Column, asked.Column)
	}
	if len(e.Differences) == 0 {
		return nil
	}
	return e
}

// describeFile describes a file in a difference by its name, which does not count, and its contents.
func describeFile(f vectors.File) string {
	return fmt.Sprintf("%s of %d bytes, hash %016x", f.Path, f.Size, f.Sample)
}

// describeOffsets prints a few offsets, or a hash of many.
func describeOffsets(offsets []float64) string {
	if len(offsets) <= 8 {
		return fmt.Sprint(offsets)
	}
	return fmt.Sprintf("%d with hash %016x", len(offsets), xxhash.Sum64String(fmt.Sprint(offsets)))
}

const absent = "(none)"

// optionOf returns the value of an option, or absent.
func optionOf(m *Manifest, name string) string {
	if value, ok := m.Option(name); ok {
		return value
	}
	return absent
}

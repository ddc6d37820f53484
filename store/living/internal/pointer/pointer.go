// Package pointer keeps the manifests of a living store, and CURRENT, which names the current one. Every
// change of the set of files ends in one rename of CURRENT.
package pointer

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/livefiles"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Folder is the folder of a living store's files within its directory.
const Folder = livefiles.Folder

// Current is the file that names the current manifest.
const Current = livefiles.Current

const (
	current = "CURRENT"

	// limit is the most bytes of a manifest.
	limit = 1 << 20

	// Here is the base that is the directory itself: a built store that was not compacted since.
	Here = "."
)

// A Manifest lists the parts of a living store.
type Manifest struct {
	Format   int      `json:"format"` // 1
	Number   uint64   `json:"number"` // of this manifest; further names continue from it
	Dim      int      `json:"dim"`
	Type     string   `json:"type"`
	Metric   string   `json:"metric"`
	K        int      `json:"k"`                  // entries of a list
	Base     string   `json:"base,omitempty"`     // folder of the sealed store; "" if no rows remained, or there were none yet
	Checksum string   `json:"checksum,omitempty"` // of the base's lists
	Rows     string   `json:"rows,omitempty"`     // file of the numbers of the base's rows; "" if they count from 0
	FirstRow uint64   `json:"first_row"`          // rows below it are of the base, the others of the logs
	Logs     []uint64 `json:"logs"`               // in order; the last is being written
	Layer    string   `json:"layer,omitempty"`    // file of lists of rows in the logs, as package layer describes it
	Compact  *Compact `json:"compact,omitempty"`  // begun and not finished
}

// Compact is a compaction that was begun.
type Compact struct {
	Logs    int    `json:"logs"`    // the base and so many logs are to become a new base
	Base    string `json:"base"`    // the folder in which the new base is built
	Options string `json:"options"` // only a call with the same options continues it
}

// Base returns the name of the folder of a base, Rows of the file of its rows, Log of a log, Layer of a
// layer.
func Base(number uint64) string  { return fmt.Sprintf("%s/base-%06d", Folder, number) }
func Rows(number uint64) string  { return fmt.Sprintf("%s/rows-%06d", Folder, number) }
func Log(number uint64) string   { return livefiles.Log(number) }
func Layer(number uint64) string { return fmt.Sprintf("%s/layer-%06d", Folder, number) }

func manifestName(number uint64) string { return fmt.Sprintf("MANIFEST-%06d", number) }

// Files returns the names of files and folders in Folder that a manifest needs, with its own.
func (m *Manifest) Files() map[string]bool {
	names := map[string]bool{current: true, manifestName(m.Number): true}
	keep := func(name string) { names[path.Base(name)] = true }
	for _, number := range m.Logs {
		keep(Log(number))
	}
	for _, name := range []string{m.Base, m.Rows, m.Layer} {
		if name != "" {
			keep(name)
		}
	}
	if m.Compact != nil {
		keep(m.Compact.Base)
	}
	return names
}

// Read reads the current manifest. The error is fs.ErrNotExist if none was written.
func Read(dir *rooted.Dir) (*Manifest, error) {
	for before := ""; ; {
		name, err := dir.ReadFile(Current, 100)
		if err != nil {
			return nil, err
		}
		m, err := readNamed(dir, string(name))
		if !errors.Is(err, fs.ErrNotExist) {
			return m, err
		}
		if before == string(name) {
			return nil, fmt.Errorf("%w: %s names a file that is not there: %v", store.ErrCorrupt, dir.Path(Current), err)
		}
		before = string(name) // a writer may have made a newer one current, and removed this one
	}
}

// readNamed reads the manifest that CURRENT names.
func readNamed(dir *rooted.Dir, name string) (*Manifest, error) {
	file := strings.TrimSuffix(name, "\n")
	var number uint64
	if _, err := fmt.Sscanf(file, "MANIFEST-%d", &number); err != nil || manifestName(number) != file {
		return nil, fmt.Errorf("%w: %s names %q, want a manifest", store.ErrCorrupt, Current, file)
	}
	text, err := dir.ReadFile(Folder+"/"+file, limit)
	if err != nil {
		return nil, err
	}
	m, err := decode(text)
	if err == nil && m.Number != number {
		err = fmt.Errorf("it is number %d", m.Number)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", store.ErrCorrupt, dir.Path(Folder+"/"+file), err)
	}
	return m, nil
}

// Write makes a manifest the current one. Its number must be new.
func Write(fs disk.FS, m *Manifest) error {
	if err := Prepare(fs, m); err != nil {
		return err
	}
	return Commit(fs)
}

// Prepare writes a manifest for Commit. If it fails, the current manifest is unchanged.
func Prepare(fs disk.FS, m *Manifest) error {
	text, err := m.encode()
	if err != nil {
		return err
	}
	name := manifestName(m.Number)
	if err := disk.Write(fs, Folder, name, text); err != nil {
		return err
	}
	return disk.Prepare(fs, Folder, current, []byte(name+"\n"))
}

// Commit makes the latest prepared manifest current. If it fails, either may be current.
func Commit(fs disk.FS) error { return disk.Commit(fs, Folder, current) }

func (m *Manifest) encode() ([]byte, error) {
	m.Format = 1
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(text, "\nsha256 %x\n", sha256.Sum256(text)), nil
}

func decode(text []byte) (*Manifest, error) {
	at := bytes.LastIndex(text, []byte("\nsha256 "))
	if at < 0 {
		return nil, errors.New("no closing line")
	}
	if want := fmt.Sprintf("\nsha256 %x\n", sha256.Sum256(text[:at])); string(text[at:]) != want {
		return nil, errors.New("its own checksum does not match")
	}
	m := new(Manifest)
	if err := json.Unmarshal(text[:at], m); err != nil {
		return nil, err
	}
	return m, m.check()
}

func (m *Manifest) check() error {
	if m.Format != 1 {
		return fmt.Errorf("format %d, want 1", m.Format)
	}
	if _, err := vectors.ParseType(m.Type); err != nil {
		return err
	}
	if _, err := distance.ParseMetric(m.Metric); err != nil {
		return err
	}
	faults := []struct {
		bad  bool
		what string
	}{
		{m.Dim < 1 || m.Dim > vectors.MaxDim, fmt.Sprintf("dimension %d", m.Dim)},
		{m.K < 1 || m.K > 1<<16, fmt.Sprintf("k %d", m.K)},
		{len(m.Logs) == 0, "no log"},
		{m.FirstRow > 1<<62, fmt.Sprintf("rows from %d", m.FirstRow)},
		{m.Base != "" && m.Base != Here && !livefiles.Is(m.Base, "base-"), fmt.Sprintf("base %q", m.Base)},
		{m.Rows != "" && !livefiles.Is(m.Rows, "rows-"), fmt.Sprintf("rows %q", m.Rows)},
		{m.Layer != "" && (!livefiles.Is(m.Layer, "layer-") || m.Base == ""), fmt.Sprintf("layer %q over base %q", m.Layer, m.Base)},
		{m.Compact != nil && (m.Compact.Logs < 1 || m.Compact.Logs >= len(m.Logs) || !livefiles.Is(m.Compact.Base, "base-")), fmt.Sprintf("compaction %+v", m.Compact)},
	}
	for _, f := range faults {
		if f.bad {
			return errors.New(f.what)
		}
	}
	for i, number := range m.Logs {
		if i > 0 && number <= m.Logs[i-1] {
			return fmt.Errorf("logs %v", m.Logs)
		}
	}
	return nil
}

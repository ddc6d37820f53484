//go:build unix

package torture

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The toy is a command with the verbs of knng that are attacked, and without graphs: its lists are
// the hash of the input. It keeps the promise, but for the fault that the environment names.

// toyFault is the variable that makes the test's own program the toy.
const toyFault = "KNNG_TOY"

func TestMain(m *testing.M) {
	if fault, asked := os.LookupEnv(toyFault); asked {
		os.Exit(toy{fault}.run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// faults of the toy.
const (
	honest   = ""
	believes = "believes that files are those that were sealed"
	sound    = "calls every store sound"
	panics   = "panics where a file was changed"
	hangs    = "waits where a file was changed"
	silent   = "fails without a word"
	follows  = "writes its lock through links"
	litters  = "leaves files in TMPDIR"
	trusts   = "takes lists of an unfinished build for its own"
	forgets  = "does not go on with a build"
	shares   = "has no code for a lock"
)

type toy struct{ fault string }

// toyFiles are the sealed files of a toy's store.
var toyFiles = []string{"graph/lists", "vectors/rows"}

func (y toy) run(args []string) int {
	var err error
	if args[0] == "build" {
		err = y.build(args[1], args[slices.Index(args, "-o")+1])
	} else {
		err = y.read(args)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errToyLocked) && y.fault != shares:
		fmt.Fprintln(os.Stderr, err)
		return 5
	case y.fault != silent:
		fmt.Fprintln(os.Stderr, "toy:", err)
	}
	return 1
}

// read is every verb but build: it prints all that probes look for.
func (y toy) read(args []string) error {
	dir := args[1]
	if y.fault == follows {
		_ = os.WriteFile(filepath.Join(dir, "scratch", "lock"), []byte("mine"), 0o666)
	}
	lists, err := y.open(dir)
	if args[0] == "check" && y.fault == sound {
		err = nil
	}
	if err != nil {
		return y.changed(err)
	}
	if args[0] == "export" {
		return os.WriteFile(args[slices.Index(args, "-o")+1], lists, 0o666)
	}
	fmt.Printf(`{"checksum": "%x", "row": 1, "recall": 1, "faults": []}`, sha256.Sum256(lists))
	return nil
}

// changed is the end of a verb that found a changed file.
func (y toy) changed(err error) error {
	switch y.fault {
	case panics:
		panic(err)
	case hangs:
		time.Sleep(time.Hour)
	case litters:
		f, _ := os.CreateTemp("", "toy-")
		f.Close()
	}
	return err
}

// open returns the lists of a store whose files are those of its seal.
func (y toy) open(dir string) (lists []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var text strings.Builder
	fmt.Fprintln(&text, "knng seal 1")
	for _, rel := range toyFiles {
		data, err := readRegular(root, rel)
		if err != nil {
			return nil, err
		}
		if rel == toyFiles[0] {
			lists = data
		}
		fmt.Fprintf(&text, "%x %d %s\n", sha256.Sum256(data), len(data), rel)
	}
	fmt.Fprintf(&text, "seal %x\n", sha256.Sum256([]byte(text.String())))
	seal, err := readRegular(root, "SEAL")
	if err == nil && string(seal) != text.String() && y.fault != believes {
		err = errors.New("a file was changed")
	}
	return lists, err
}

func readRegular(root *os.Root, rel string) ([]byte, error) {
	info, err := root.Lstat(rel)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", rel)
	}
	f, err := root.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

var errToyLocked = errors.New("toy: another process builds here")

// build makes a store in three steps, which take a while. One that was begun is begun anew.
func (y toy) build(input, dir string) error {
	rows, err := os.ReadFile(input)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return err
	}
	lock, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return errToyLocked
	}
	if _, err := os.Lstat(filepath.Join(dir, "SEAL")); err == nil {
		_, err := y.open(dir)
		return err
	}
	return y.make(rows, dir)
}

func (y toy) make(rows []byte, dir string) error {
	lists := filepath.Join(dir, "graph", "lists")
	_, err := os.Stat(lists)
	begun := err == nil
	if begun && y.fault == forgets {
		return errors.New("there is something already")
	}
	for _, name := range []string{"graph", "vectors", "scratch"} {
		path := filepath.Join(dir, name)
		if begun && y.fault == trusts && name == "graph" {
			continue
		}
		if err := errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o777)); err != nil {
			return err
		}
	}
	for _, s := range []struct {
		rel  string
		data []byte
	}{{"graph/lists", fmt.Appendf(nil, "%x", sha256.Sum256(rows))}, {"vectors/rows", rows}, {"scratch/lock", []byte("toy")}} {
		path := filepath.Join(dir, s.rel)
		if _, err := os.Lstat(path); err == nil { // trusted
			continue
		}
		whole := filepath.Join(dir, "new")
		if err := errors.Join(os.RemoveAll(whole), os.WriteFile(whole, s.data, 0o666), os.Rename(whole, path)); err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return forge(dir)
}

// filesBelow are all names below a folder, with their kinds.
func filesBelow(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			rel, _ := filepath.Rel(dir, path)
			all = append(all, rel+" "+d.Type().String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

package peers

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Machine is the machine of the runs.
type Machine struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	Affinity string `json:"affinity"` // cores that processes may use, as Linux lists them
	System   string `json:"system"`   // operating system and its version
	Commit   string `json:"commit"`   // of the working directory; "+" where it has changes
}

// ThisMachine describes the machine; unknown fields are "".
func ThisMachine() Machine {
	m := Machine{
		CPU:      field("/proc/cpuinfo", "model name"),
		Cores:    runtime.NumCPU(),
		Affinity: field("/proc/self/status", "Cpus_allowed_list"),
		System:   runtime.GOOS + "/" + runtime.GOARCH + " " + said("uname", "-r"),
		Commit:   said("git", "rev-parse", "--short", "HEAD"),
	}
	if said("git", "status", "--porcelain", "--untracked-files=no") != "" {
		m.Commit += "+"
	}
	return m
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores (affinity %s), %s, commit %s; load %s", m.CPU, m.Cores, m.Affinity, m.System, m.Commit, load())
}

// load is the load average of the last minutes: a quiet machine begins near 0.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(b))[:3], " ")
}

// field is the first value that a file of "name : value" lines has for a name.
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// said is the output of a command, "" where it fails.
func said(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

package main

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/spf13/pflag"
)

// TestGroupedFlags: the help of build and plan prints each flag once.
func TestGroupedFlags(t *testing.T) {
	for _, name := range []string{"build", "plan"} {
		var out bytes.Buffer
		if code := run([]string{name, "--help"}, nil, &out, &out); code != 0 {
			t.Fatalf("%s --help: exit code %d: %s", name, code, out.Bytes())
		}
		c, _, err := newRoot(&globals{}).Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if n := len(regexp.MustCompile(`(?m)^  ....--`+f.Name+`\b[^-]`).FindAll(out.Bytes(), -1)); n != 1 {
				t.Errorf("%s --help prints --%s %d times", name, f.Name, n)
			}
		})
	}
}

package main

import (
	"strings"
	"testing"
)

// TestNotice: the text has every module of the command with a licence, and Go's.
func TestNotice(t *testing.T) {
	text, err := notice("github.com/knng/knng/cmd/knng")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Go go", "github.com/cockroachdb/pebble/v2 v2.", "golang.org/x/sys v", "Apache License", "Redistribution and use in source and binary forms"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %d bytes of licences", want, len(text))
		}
	}
	if strings.Contains(text, "honnef.co") {
		t.Error("a tool of the gate is in it, which no release is linked from")
	}
}

// TestNames: files of licences are told from others.
func TestNames(t *testing.T) {
	for name, is := range map[string]bool{"LICENSE": true, "LICENCE.md": true, "COPYING": true, "NOTICE.txt": true, "license-mit": true, "README.md": false, "licenses": false, "PATENTS": true} {
		if licenceName.MatchString(name) != is {
			t.Errorf("%s: %v", name, !is)
		}
	}
}

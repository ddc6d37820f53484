package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// output is stdout, and the first error of writing to it: those who print do not look.
// Ids, paths and results come from stores, which strangers may have made: characters that a
// terminal would obey, or show in another order, are written as their numbers.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (n int, err error) {
	if n, err = io.WriteString(o.w, harmless(string(p), "\n\t")); err == nil {
		n = len(p)
	}
	if o.err == nil {
		o.err = err
	}
	return min(n, len(p)), err
}

// harmless is a text with control characters, but for some, as JSON and Go write them.
func harmless(text, but string) string {
	if strings.IndexFunc(text, func(r rune) bool { return obeyed(r) && !strings.ContainsRune(but, r) }) < 0 && utf8.ValidString(text) {
		return text
	}
	var s strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&s, "\\x%02x", text[0])
		case obeyed(r) && !strings.ContainsRune(but, r):
			fmt.Fprintf(&s, "\\u%04x", r)
		default:
			s.WriteString(text[:n])
		}
		text = text[n:]
	}
	return s.String()
}

// obeyed reports whether a terminal does something else with a rune than show it.
func obeyed(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// oneLine is a text of which no part looks like a line of its own.
func oneLine(text string) string { return harmless(text, "") }

package main

import (
	"fmt"
	"io"
	"os"
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

// quoted is a word of a command as a shell takes it: that of Windows in double quotes, which no
// name of a file there has, all others in single quotes.
func quoted(s string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-,"
	windows := os.PathSeparator == '\\'
	odd := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune(plain, r) && !(windows && strings.ContainsRune(`:\~`, r))
	})
	switch {
	case s != "" && odd < 0:
		return s
	case windows:
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// operand is a path as a command takes it that is no flag, nor stdin.
func operand(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return quoted(path)
}

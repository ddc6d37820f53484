package gofuncs

import (
	"strings"
	"unicode"
)

// words splits a name or a text into lower-case words and numbers:
// "HTTPServer2_x" is http, server, 2, x.
func words(s string) []string {
	var parts []string
	runes := []rune(s)
	for i := 0; i < len(runes); {
		n := wordLength(runes[i:])
		if n == 0 {
			i++
			continue
		}
		parts = append(parts, strings.ToLower(string(runes[i:i+n])))
		i += n
	}
	return parts
}

// wordLength is the length of the word or number that r begins with.
func wordLength(r []rune) int {
	run := func(from int, is func(rune) bool) int {
		for from < len(r) && is(r[from]) {
			from++
		}
		return from
	}
	if n := run(0, unicode.IsDigit); n > 0 {
		return n
	}
	lower := func(c rune) bool { return unicode.IsLetter(c) && !unicode.IsUpper(c) }
	upper := run(0, unicode.IsUpper)
	end := run(upper, lower)
	if upper > 1 && end > upper {
		return upper - 1 // the last capital begins the next word: HTTP|Server
	}
	return end
}

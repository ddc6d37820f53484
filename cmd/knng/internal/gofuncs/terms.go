package gofuncs

import (
	"cmp"
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// A kind is the first byte of a term's text. It keeps a word of a name apart
// from the same word in a string, and says how much the term counts.
type kind byte

// The kinds of terms, by the example of
// func (b *Builder) IndexFold(s string) int { return bytes.Index(b.buf, "No-Go"[1:]) }
const (
	inName    kind = 'f' // words of the function's own name: index, fold
	ofType    kind = 't' // types of the signature: Builder, string, int
	word      kind = 'w' // words of all identifiers: builder, index, fold, buf, ...
	whole     kind = 'i' // identifiers of several words, as they are: IndexFold
	qualified kind = 'q' // two names joined by a dot: bytes.Index, b.buf
	literal   kind = 'l' // numbers and characters: 1
	quoted    kind = 's' // words in strings: no, go
	shape     kind = 'p' // three neighboring tokens, names as x and literals as 0: "return x .", "( x ."
	doc       kind = 'd' // words of the doc comment
)

// factors are the weights of the kinds, in quarters. They were set by looking at
// the neighbors of functions that have a known twin (TestTwins): the name and
// the calls tell most; shapes tell bodies of one algorithm over other types.
var factors = [256]int64{inName: 8, ofType: 2, word: 4, whole: 4, qualified: 6, literal: 3, quoted: 3, shape: 2, doc: 3}

// A Term is something a function is compared by.
type Term struct {
	Hash  uint64 // of kind and text
	Count uint32 // times that the function has it
	kind  kind
}

// termsOf returns the terms of a declaration, and the number of tokens between
// the braces of its body.
func termsOf(text []byte, fn *ast.FuncDecl) (terms []Term, tokens int) {
	c := counter{counts: make(map[Term]uint32)}
	body := int(fn.Body.Lbrace - fn.Pos())
	tokens = c.scan(text, body)
	for _, w := range words(fn.Name.Name) {
		c.add(inName, w)
	}
	for _, w := range words(fn.Doc.Text()) {
		c.add(doc, w)
	}
	return c.sorted(), tokens
}

// A counter counts the terms of one function.
type counter struct {
	counts map[Term]uint32
	text   []byte // scratch
}

func (c *counter) add(k kind, text ...string) {
	c.text = append(c.text[:0], byte(k))
	for _, t := range text {
		c.text = append(c.text, t...)
	}
	c.counts[Term{Hash: hash(c.text), kind: k}]++
}

func (c *counter) sorted() []Term {
	terms := make([]Term, 0, len(c.counts))
	for t, n := range c.counts {
		t.Count = n
		terms = append(terms, t)
	}
	slices.SortFunc(terms, func(a, b Term) int { return cmp.Compare(a.Hash, b.Hash) })
	return terms
}

// scan adds the terms of a declaration whose body begins at an offset.
func (c *counter) scan(text []byte, body int) (tokens int) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	var names, shapes [3]string // of the last three tokens; "" where it is no name
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return tokens - 1 // the closing brace
		}
		if tok == token.SEMICOLON && lit != ";" {
			continue // a line's end: layout, not meaning
		}
		signature := file.Offset(pos) < body
		if file.Offset(pos) > body {
			tokens++
		}
		names = [3]string{names[1], names[2], c.token(tok, lit, signature)}
		shapes = [3]string{shapes[1], shapes[2], shapeOf(tok)}
		if shapes[1] == "." && names[0] != "" && names[2] != "" {
			c.add(qualified, names[0], ".", names[2])
		}
		if shapes[0] != "" && !signature {
			c.add(shape, shapes[0], " ", shapes[1], " ", shapes[2])
		}
	}
}

// token adds the terms of one token and returns its text if it is a name.
func (c *counter) token(tok token.Token, lit string, signature bool) (name string) {
	switch tok {
	case token.IDENT:
		c.identifier(lit, signature)
		return lit
	case token.INT, token.FLOAT, token.IMAG, token.CHAR:
		c.add(literal, lit)
	case token.STRING:
		for _, w := range words(lit) {
			c.add(quoted, w)
		}
	}
	return ""
}

func (c *counter) identifier(id string, signature bool) {
	parts := words(id)
	for _, w := range parts {
		c.add(word, w)
	}
	if len(parts) > 1 {
		c.add(whole, id)
	}
	if signature {
		c.add(ofType, id)
	}
}

func shapeOf(tok token.Token) string {
	switch {
	case tok == token.IDENT:
		return "x"
	case tok.IsLiteral():
		return "0"
	}
	return tok.String()
}

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

package gofuncs

import (
	"cmp"
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// termsOf returns the terms of a declaration, and the number of tokens between
// the braces of its body.
func termsOf(text []byte, fn *ast.FuncDecl) (terms []Term, tokens int) {
	c := counter{counts: make(map[Term]uint32)}
	tokens = c.declaration(text, fn)
	return c.sorted(), tokens
}

// A counter counts the terms of one function.
type counter struct {
	counts map[Term]uint32
	texts  map[Term]string // of every term, if not nil: for tests
	text   []byte          // scratch
}

func (c *counter) declaration(text []byte, fn *ast.FuncDecl) (tokens int) {
	c.add(title, strings.ToLower(fn.Name.Name))
	c.words(inTitle, fn.Name.Name)
	typ, _ := receiverOf(fn)
	c.words(receiver, typ)
	c.words(comment, fn.Doc.Text())
	return c.scan(text, int(fn.Body.Lbrace-fn.Pos()))
}

func (c *counter) add(k kind, text ...string) {
	c.text = append(c.text[:0], byte(k))
	for _, t := range text {
		c.text = append(c.text, t...)
	}
	t := Term{Hash: hash(c.text), kind: k}
	c.counts[t]++
	if c.texts != nil {
		c.texts[t] = string(c.text[1:])
	}
}

func (c *counter) words(k kind, text string) {
	for _, w := range words(text) {
		c.add(k, w)
	}
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
		if text, err := strconv.Unquote(lit); err == nil {
			c.words(quoted, text)
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
		c.add(typeName, id)
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

package main

import (
	"fmt"
	"text/template"
)

// tables are the data of every template.
var tables = struct{ Ints, Floats []kernel }{
	Ints: []kernel{
		{"squared", u8, u8}, {"dot", u8, u8},
		{"squared", i8, i8}, {"dot", i8, i8},
	},
	Floats: []kernel{
		{"squared", f32, f32}, {"dot", f32, f32},
		{"squared", f16, f16}, {"dot", f16, f16},
		{"dot", f32, f16}, {"dot", f32, u8}, {"dot", f32, i8},
	},
}

var (
	u8  = element{"U8", "uint8", 1}
	i8  = element{"I8", "int8", 1}
	f16 = element{"F16", "float16", 2}
	f32 = element{"F32", "float32", 4}
)

// An element is a type of vectors' elements, by its names in functions and in comments.
type element struct {
	name, Long string
	Bytes      int
}

func (e element) String() string { return e.name }

// Extend is the letter of instructions that widen it: with zeros or with its sign.
func (e element) Extend() string {
	if e == i8 {
		return "S"
	}
	return "Z"
}

// A kernel sums a function of two rows' elements: their products, or the squares of their
// differences.
type kernel struct {
	op     string
	X, Row element
}

func (k kernel) Squared() bool { return k.op == "squared" }
func (k kernel) Mixed() bool   { return k.X != k.Row }

func (k kernel) Name() string {
	if k.Mixed() {
		return k.op + k.X.name + k.Row.name
	}
	return k.op + k.X.name
}

// Of is the term that is summed, for comments.
func (k kernel) Of() string {
	switch {
	case !k.Squared():
		return "x[i]*row[i]"
	case k.X.Bytes > 1:
		return "float32(x[i]-row[i])^2"
	}
	return "(x[i]-row[i])^2"
}

// Types names the types of both rows, for comments; the second goes by the name in rows.
func (k kernel) Types(rows string) string {
	if k.Mixed() {
		return fmt.Sprintf("x %s, %s %s", k.X.Long, rows, k.Row.Long)
	}
	return k.X.Long
}

var functions = template.FuncMap{
	"add":  func(a, b int) int { return a + b },
	"mul":  func(a, b int) int { return a * b },
	"div":  func(a, b int) int { return a / b },
	"mod":  func(a, b int) int { return a % b },
	"list": func(values ...any) []any { return values },
	"dict": dict,
}

// dict makes names and values a map, for templates with several arguments.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

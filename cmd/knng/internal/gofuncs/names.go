package gofuncs

import (
	"fmt"
	"go/ast"
	"path"
)

// name is how a stack trace would name the function, without type parameters:
// bytes.Index, time.Time.Add, strings.(*Builder).Grow.
func name(pkg string, fn *ast.FuncDecl) string {
	typ, pointer := receiverOf(fn)
	switch {
	case typ == "":
		return pkg + "." + fn.Name.Name
	case pointer:
		typ = "(*" + typ + ")"
	}
	return pkg + "." + typ + "." + fn.Name.Name
}

// receiverOf is the name of the receiver's type; "" for a function.
func receiverOf(fn *ast.FuncDecl) (typ string, pointer bool) {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return "", false
	}
	for e := fn.Recv.List[0].Type; ; {
		switch x := e.(type) {
		case *ast.StarExpr:
			pointer, e = true, x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr: // Pointer[T]
			e = x.X
		case *ast.IndexListExpr: // HashTrieMap[K, V]
			e = x.X
		case *ast.Ident:
			return x.Name, pointer
		default:
			return "", pointer
		}
	}
}

// distinguish makes the IDs unique. A function that several files define, one
// for each system, gets the name of its file: os.Getpagesize (types.go); several
// init functions of one file get the line as well.
func distinguish(functions []Function) {
	for _, suffix := range []func(f *Function) string{
		func(f *Function) string { return fmt.Sprintf("%s (%s)", f.ID, path.Base(f.File)) },
		func(f *Function) string { return fmt.Sprintf("%s:%d)", f.ID[:len(f.ID)-1], f.Line) },
	} {
		times := make(map[string]int, len(functions))
		for i := range functions {
			times[functions[i].ID]++
		}
		for i := range functions {
			if times[functions[i].ID] > 1 {
				functions[i].ID = suffix(&functions[i])
			}
		}
	}
}

package gofuncs

import (
	"fmt"
	"go/ast"
	"path"
)

// name is how a stack trace would name the function, without type parameters:
// bytes.Index, time.Time.Add, strings.(*Builder).Grow.
func name(pkg string, fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return pkg + "." + fn.Name.Name
	}
	typ, pointer := receiver(fn.Recv.List[0].Type)
	if pointer {
		typ = "(*" + typ + ")"
	}
	return pkg + "." + typ + "." + fn.Name.Name
}

func receiver(e ast.Expr) (typ string, pointer bool) {
	switch e := e.(type) {
	case *ast.StarExpr:
		typ, _ = receiver(e.X)
		return typ, true
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name, false
	}
	return "", false
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

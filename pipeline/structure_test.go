package pipeline_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A package that a newcomer can read has at most this many lines without its tests, and a type so
// many methods: beyond that it does two things.
const (
	mostLines   = 2500
	mostMethods = 20
)

func TestPackagesAndTypesStaySmall(t *testing.T) {
	lines, methods := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			return err
		}
		folder := filepath.Dir(name)
		lines[folder] += bytes.Count(source, []byte{'\n'})
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[folder+"."+receiverOf(f)]++
			}
		}
		return nil
	})
	if err != nil || len(lines) < 20 {
		t.Fatal(len(lines), err)
	}
	for folder, n := range lines {
		if n > mostLines {
			t.Errorf("package %s has %d lines: split it", folder, n)
		}
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("type %s has %d methods: split it", name, n)
		}
	}
}

func receiverOf(f *ast.FuncDecl) string {
	x := f.Recv.List[0].Type
	for {
		switch at := x.(type) {
		case *ast.StarExpr:
			x = at.X
		case *ast.IndexExpr:
			x = at.X
		case *ast.Ident:
			return at.Name
		default:
			return ""
		}
	}
}

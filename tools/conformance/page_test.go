package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// The page is that of a run in which everything passed, and nothing was left out of it.
func TestThePageIsThatOfTheTables(t *testing.T) {
	status := map[string]string{}
	for _, name := range allTests() {
		status[name] = passed
	}
	got, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := page(status); string(got) != want {
		t.Error("docs/conformance.md is not what the tables say, or has tests that did not pass: run make conformance")
	}
}

func TestEveryRequirementHasALine(t *testing.T) {
	for i, want := range []struct {
		letter string
		count  int
	}{{"P", 53}, {"V", 18}, {"I", 14}, {"S", 11}} {
		lines := groups[i].lines
		if len(lines) != want.count {
			t.Errorf("%s has %d lines, want %d", want.letter, len(lines), want.count)
		}
		for n, r := range lines {
			if id := fmt.Sprintf("%s%02d", want.letter, n+1); r.id != id || r.what == "" || r.section == "" || len(r.tests) == 0 {
				t.Errorf("line %d of %s is %+v", n, want.letter, r)
			}
		}
	}
	for _, d := range departures {
		if d.reason == "" {
			t.Errorf("%s has no reason", d.id)
		}
	}
}

// A test that was renamed or removed is noticed without a run.
func TestEveryTestExists(t *testing.T) {
	known := map[string]map[string]bool{}
	for _, name := range allTests() {
		folder, top, sub := splitTest(name)
		if known[folder] == nil {
			known[folder] = testFunctions(t, "../../"+folder)
		}
		if !known[folder][top] {
			t.Errorf("%s is not there", name)
		}
		if script, ok := strings.CutPrefix(top+"/"+sub, "TestScripts/"); ok {
			if _, err := os.Stat("../../" + folder + "/testdata/script/" + script + ".txtar"); err != nil {
				t.Error(err)
			}
		}
	}
}

func testFunctions(t *testing.T, folder string) map[string]bool {
	t.Helper()
	packages, err := parser.ParseDir(token.NewFileSet(), folder, func(f fs.FileInfo) bool { return strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // files of one folder, without their types
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, p := range packages {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
					all[fn.Name.Name] = true
				}
			}
		}
	}
	return all
}

func TestAStatusIsThatOfTheWorstSubtest(t *testing.T) {
	events := map[string]string{"TestA": "pass", "TestA/b": "pass", "TestA/b/c": "fail", "TestA/d": "skip", "TestAB": "fail"}
	for name, want := range map[string]string{"TestA/b/c": "failed", "TestA/b": "failed", "TestA/d": "skipped", "TestA/x": absent, "TestA/b/": absent, "TestAB": "failed"} {
		if got := statusOf(events, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The tests are really run: a function that is not there does not pass.
func TestWhatDoesNotRunDoesNotPass(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a package")
	}
	status, err := runTests(context.Background(), []string{".:TestAStatusIsThatOfTheWorstSubtest", ".:TestNone"}, io.Discard)
	if err != nil || status[".:TestAStatusIsThatOfTheWorstSubtest"] != passed || status[".:TestNone"] != absent {
		t.Errorf("%v, %v", status, err)
	}
}

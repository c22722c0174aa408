package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pamline/pamline/cmd/internal/bundletest"
	"github.com/pamline/pamline/cmd/internal/worker"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// TestMain lets more scripts run side by side than there are processors: much of what they do is to
// wait, for files to be on the disk and for services to begin and end. -parallel on the command
// line counts more.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	testscript.Main(keyFolder{m}, map[string]func(){"pamline": main, "write-hostile": writeHostile,
		"ingest": workerOf(telemetry.StageIngest), "extract": workerOf(telemetry.StageExtract), "assemble": workerOf(telemetry.StageAssemble)})
}

// workerOf is the command of a worker, as in cmd/ingest, cmd/extract and cmd/assemble.
func workerOf(stage string) func() {
	return func() { os.Exit(worker.Main(stage, "", os.Args[1:], os.Stderr)) }
}

// keyFolder keeps the master key of tests that run commands in this process out of the folder of
// the person who runs them.
type keyFolder struct{ testscript.TestingM }

func (k keyFolder) Run() int {
	folder, err := os.MkdirTemp("", "pamline-test-*")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // a temporary folder
	for system, name := range map[string]string{"linux": "XDG_CONFIG_HOME", "darwin": "HOME", "windows": "AppData"} {
		if system != runtime.GOOS {
			continue
		}
		if err := os.Setenv(name, folder); err != nil {
			panic(err)
		}
	}
	return k.TestingM.Run()
}

// concurrentScripts are the scripts that run with -short, as the checks do under the race detector:
// imports, and a service and what is asked of it meanwhile. The others run the same code.
var concurrentScripts = []string{"import", "up"}

// scripts are the files of the scripts to run.
func scripts(t *testing.T) (files []string) {
	t.Helper()
	names := []string{"*"}
	if testing.Short() {
		names = concurrentScripts
	}
	for _, name := range names {
		found, err := filepath.Glob(filepath.Join("testdata", "script", name+".txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no script %s: %v", name, err)
		}
		files = append(files, found...)
	}
	return files
}

// plain runs all scripts on stores that are not encrypted. [plain] in a script is about those, and
// about what it finds by looking into the folder of a store.
var plain = flag.Bool("plain", false, "run the scripts on stores that are not encrypted")

func TestScripts(t *testing.T) { runScripts(t, scripts(t), *plain) }

// plainScripts are the scripts that find other things in the folder of a store that is not
// encrypted.
var plainScripts = []string{"publish_formats", "prune", "search", "erase", "damaged_folder", "fsck"}

func TestPlainScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("none of them is about several processes")
	}
	var files []string
	for _, name := range plainScripts {
		files = append(files, filepath.Join("testdata", "script", name+".txtar"))
	}
	runScripts(t, files, true)
}

// runScripts runs scripts on stores that are plain or, as new ones are, encrypted.
func runScripts(t *testing.T, files []string, plain bool) {
	t.Helper()
	sample, err := filepath.Abs("../../examples/sample-export")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			// No setting of the person who runs the tests reaches the scripts, and no data folder
			// of theirs is touched.
			kept := e.Vars[:0]
			for _, v := range e.Vars {
				if !strings.HasPrefix(v, "PAMLINE_") {
					kept = append(kept, v)
				}
			}
			if plain {
				kept = append(kept, "PAMLINE_ENCRYPTION__NEW=false")
			}
			e.Vars = append(kept, "SAMPLE="+sample, "XDG_DATA_HOME="+filepath.Join(e.WorkDir, "xdg"), "HOME="+filepath.Join(e.WorkDir, "home"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "plain":
				return plain, nil
			case "everywhere": // who runs the tests may write into every folder, so that none turns them away
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// bundle DIR makes a small bundle.
			"bundle": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(bundletest.Write(ts.MkAbs(args[0])))
			},
			"copy-folder":        copyFolder,
			"same-conversations": sameConversations,
			"until":              until,
			"ask":                ask,
			"await-file":         awaitFile,
			"for-umask":          forUmask,
			"frozen":             frozen,
			"thawed":             thawed,
			// memory TEXT sets $MEMORY to the id of the memory of the bundle "out" with this
			// content.
			"memory":            findMemory,
			"same-memories":     sameMemories,
			"flip-conversation": flipConversation,
			"memory-of":         memoryOf,
			"same-bundle":       sameBundle,
			// remove-matching PATTERN... removes the files that match, of which there must be some.
			"remove-matching": removeMatching,
			// admin PATH BODY posts to the service of the data folder "data", with its token.
			"admin": askAdmin,
			// grep-files WORD FOLDER wants a file in the folder to have the word in it.
			"grep-files": grepFiles,
			// sees-nothing WORD FOLDER wants no file in the folder to have the word in it.
			"sees-nothing": seesNothing,
			// decrypted DATA COPY makes a copy of a data folder that is not encrypted.
			"decrypted": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.RemoveAll(ts.MkAbs(args[1])))
				copyFolder(ts, false, args)
				ts.Check(ts.Exec("pamline", "key", "convert", "--to", "plain", "--data", args[1]))
			},
			// flip-bit FILE changes a bit in the middle of a file.
			"flip-bit": flipBit,
			// one-import OWNER sets $IMPORT to the id of an import of the data folder "data".
			"one-import": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(ts.Exec("pamline", "imports", "--data", "data", "--owner", args[0], "--format", "json"))
				var list []struct{ Import string }
				ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
				ts.Setenv("IMPORT", list[0].Import)
			},
			// one-letter sets $LETTER to the id of a dead letter of the data folder "data".
			"one-letter": func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Check(ts.Exec("pamline", "dlq", "list", "--data", "data", "--format", "json"))
				var list []struct{ ID string }
				ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
				ts.Setenv("LETTER", list[0].ID)
			},
			// restore-each-import FILE… restores every import of the data folder "data" and wants
			// each FILE to be one of them.
			"restore-each-import": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(ts.Exec("pamline", "imports", "--data", "data", "--format", "json"))
				var list []struct{ Import string }
				ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
				var got []any
				for _, i := range list {
					ts.Check(ts.Exec("pamline", "restore", "--provider", "chatgpt", "--data", "data", "--import", i.Import, "-o", i.Import))
					got = append(got, decoded(ts, i.Import+"/conversations.json"))
				}
				for _, file := range args {
					want := decoded(ts, file)
					if !slices.ContainsFunc(got, func(g any) bool { return reflect.DeepEqual(g, want) }) {
						ts.Fatalf("no import gives %s back", file)
					}
				}
			},
			// exits CODE COMMAND… runs a command and wants this exit code.
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				err := ts.Exec(args[1], args[2:]...)
				got := "0"
				if err != nil {
					got = strings.TrimPrefix(err.Error(), "exit status ")
				}
				if got != args[0] {
					ts.Fatalf("exit code %s, want %s", got, args[0])
				}
			},
		},
	})
}

func decoded(ts *testscript.TestScript, file string) (v any) {
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &v))
	return v
}

// Every command shows an example, and its help and flags are sentences.
func TestEveryCommandExplainsItself(t *testing.T) {
	parser, err := kong.New(new(commands), kong.Vars{"providers": ""}, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	leaves := parser.Model.Leaves(false)
	if len(leaves) < 8 {
		t.Errorf("only %d commands", len(leaves))
	}
	for _, c := range leaves {
		if !strings.HasSuffix(c.Help, ".") {
			t.Errorf("%s: help is no sentence: %q", c.Path(), c.Help)
		}
		if !strings.Contains(c.Detail, "Example") || !strings.Contains(c.Detail, "pamline "+strings.Fields(c.Path())[0]) {
			t.Errorf("%s: no example in %q", c.Path(), c.Detail)
		}
		for _, f := range c.Flags {
			if !strings.HasSuffix(f.Help, ".") {
				t.Errorf("%s --%s: help is no sentence: %q", c.Path(), f.Name, f.Help)
			}
		}
	}
}

func TestATerminalIsNotAFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) || isTerminal(io.Discard) {
		t.Error("took a file for a terminal")
	}
}

func removeMatching(ts *testscript.TestScript, _ bool, patterns []string) {
	for _, pattern := range patterns {
		files, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		if len(files) == 0 {
			ts.Fatalf("no file matches %s", pattern)
		}
		for _, f := range files {
			ts.Check(os.Remove(f))
		}
	}
}

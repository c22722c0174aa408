package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

type command struct {
	List struct {
		Deep struct {
			Limit int `help:"Don't show more."`
		} `cmd:"" help:"Deep list."`
	} `cmd:"" help:"Lists."`
	Say struct {
		Loud bool   `help:"Shout."`
		Text string `arg:"" help:"What to say."`
	} `cmd:"" help:"Say it."`
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	k, err := kong.New(new(command), kong.Name("prog"), kong.Description("A program."))
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

func TestBashCompletesCommandsAndFlags(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	script, err := Completion(model(t), "bash")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "prog.bash")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"prog li": "list", "prog list d": "deep", "prog list deep --l": "--limit", "prog say --": "--loud --help", "prog say --loud --h": "--help", "prog x": "",
	} {
		words := strings.Fields(line)
		c := exec.Command(shell, "-c", `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _prog; echo "${COMPREPLY[@]}"`, file)
		c.Args = append(c.Args, words...)
		out, err := c.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, want %q, %v", line, got, want, err)
		}
	}
}

func TestEveryShellKnowsEveryCommandAndFlag(t *testing.T) {
	for _, shell := range Shells {
		script, err := Completion(model(t), shell)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"list", "deep", "say", "limit", "loud"} {
			if !strings.Contains(script, want) {
				t.Errorf("%s does not know %s:\n%s", shell, want, script)
			}
		}
	}
	if _, err := Completion(model(t), "tcsh"); err == nil {
		t.Error("completes an unknown shell")
	}
}

func TestTheManualPageHasEveryCommand(t *testing.T) {
	page := Man(model(t), "prog 1-2")
	for _, want := range []string{`.TH PROG 1 "" "prog 1\-2"`, `.SS "prog list deep"`, `.SS "prog say <text>"`, `.B \-\-limit=INT`, "Don't show more.", ".SH EXIT STATUS"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
}

func TestTextIsNoRoffRequest(t *testing.T) {
	if got, want := roff(".x\n'y\na\\b"), "\\&.x\n\\&'y\na\\eb"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/pamline/pamline/cmd/internal/flags"
)

// A command that is described alone reads the same help and the same command lines.
func TestACommandDescribedAloneIsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it compares texts")
	}
	for _, command := range helpOf(t, new(commands), "").Model.Children {
		var alone, among bytes.Buffer
		parser := helpOf(t, grammarFor([]string{command.Name}), command.Name, &alone)
		helpOf(t, new(commands), command.Name, &among)
		if alone.String() != among.String() || alone.Len() == 0 {
			t.Errorf("%s: the help of the command alone is\n%s\nand among all commands\n%s", command.Name, &alone, &among)
		}
		if n := len(parser.Model.Children); n != 1 && !slices.Contains(wholeGrammar, command.Name) {
			t.Errorf("%s: %d commands were described", command.Name, n)
		}
	}
}

// A word that is no command is explained with all commands in view.
func TestUnknownCommandSeesAllCommands(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"imprt"}, {"showversion"}, {"Import"}, {"man"}} {
		if _, whole := grammarFor(args).(*commands); !whole {
			t.Errorf("%q: not all commands were described", args)
		}
	}
}

// helpOf writes the help of a command into out, and gives the parser.
func helpOf(t *testing.T, grammar any, command string, out ...*bytes.Buffer) *kong.Kong {
	t.Helper()
	exited := false
	options := append(flags.Types(), kong.Name("pamline"), kong.Vars{"providers": "", "version": ""}, kong.Exit(func(int) { exited = true }))
	for _, w := range out {
		options = append(options, kong.Writers(w, w))
	}
	parser, err := kong.New(grammar, options...)
	if err != nil {
		t.Fatal(err)
	}
	if command == "" {
		return parser
	}
	if _, err := parser.Parse([]string{command, "--help"}); !exited {
		t.Errorf("%s --help: %v", command, err)
	}
	return parser
}

package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/pamline/pamline/cmd/internal/build"
	"github.com/pamline/pamline/cmd/internal/cli"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

func (completionCommand) Help() string {
	return "Prints a script that completes commands and flags.\n\n" +
		"Examples:\n  source <(pamline completion bash)\n  pamline completion fish > ~/.config/fish/completions/pamline.fish"
}

func (c *completionCommand) Run(a *app, k *kong.Kong) error {
	script, err := cli.Completion(k.Model, c.Shell)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(a.stdout, script)
	return err
}

type manCommand struct{}

func (manCommand) Help() string {
	return "Prints the manual page of all commands, in roff.\n\nExample:\n  pamline man | man -l -"
}

func (manCommand) Run(a *app, k *kong.Kong) error {
	_, err := fmt.Fprint(a.stdout, cli.Man(k.Model, "pamline "+build.Of(version).Pamline))
	return err
}

// helpCommand is listed with the others; run turns it into --help.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"A command, for example: dlq list."`
}

func (helpCommand) Help() string { return "Example:\n  pamline help import" }

// helpArgs turns "help COMMAND" into "COMMAND --help".
func helpArgs(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help" && (len(args) == 1 || args[1][:min(1, len(args[1]))] != "-"):
		return append(append([]string{}, args[1:]...), "--help")
	}
	return args
}

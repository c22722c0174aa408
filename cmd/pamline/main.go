// Command pamline turns export archives of AI assistants into Portable AI Memory stores, and reads
// such stores.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/pamline/pamline/cmd/internal/build"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/flags"
	"github.com/pamline/pamline/cmd/internal/interrupt"
	_ "github.com/pamline/pamline/cmd/internal/pace" // few collections, from the first packages on
	"github.com/pamline/pamline/cmd/internal/style"
	"github.com/pamline/pamline/providers"
)

func main() {
	os.Exit(runCommand(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// commands is the command line. A command is a struct with its flags and a method Run(*app) error,
// in a file of its own.
type commands struct {
	Import   importCommand   `cmd:"" help:"Import export archives into a memory store."`
	Up       upCommand       `cmd:"" help:"Run as a service that imports files put into a folder."`
	Open     openCommand     `cmd:"" help:"Open your store as a web page: read, search, correct, import."`
	Status   statusCommand   `cmd:"" help:"Show the state of imports, or the receipt of one."`
	Imports  importsCommand  `cmd:"" help:"List all imports."`
	Replay   replayCommand   `cmd:"" help:"Read earlier imports again with newer importers or extractors."`
	DLQ      dlqCommand      `cmd:"" name:"dlq" help:"List work that failed permanently, and retry it."`
	Fsck     fsckCommand     `cmd:"" help:"Check every object of a data folder or bucket for damage, and repair it."`
	Prune    pruneCommand    `cmd:"" help:"Remove earlier exports, and what no store needs any more."`
	Validate validateCommand `cmd:"" help:"Check a store, bundle, conversation or embeddings file."`
	Inspect  inspectCommand  `cmd:"" help:"Show the contents of a store, bundle or conversation file."`
	Search   searchCommand   `cmd:"" help:"Search conversations and memories."`
	Show     showCommand     `cmd:"" help:"Read a conversation, a message or a memory."`

	Conversations conversationsCommand `cmd:"" help:"List conversations."`
	Memories      memoriesCommand      `cmd:"" help:"List memories."`

	Edit    editCommand    `cmd:"" help:"Change a memory by hand: retract, archive, confirm, replace or add."`
	Erase   eraseCommand   `cmd:"" help:"Erase a memory, a conversation, a drop or an owner for good."`
	Extract extractCommand `cmd:"" help:"Find memories in conversations from standard input."`
	Restore restoreCommand `cmd:"" help:"Rebuild a provider's own export."`
	Export  exportCommand  `cmd:"" help:"Write a bundle to give away, or what changed since an earlier one."`
	Render  renderCommand  `cmd:"" help:"Write memories in the form that an assistant takes."`
	MCP     mcpCommand     `cmd:"" name:"mcp" help:"Serve memories to assistants by the Model Context Protocol."`
	Convert convertCommand `cmd:"" help:"Convert between PAM, Portable Memory (.mem) and MIF."`
	Merge   mergeCommand   `cmd:"" help:"Merge incremental exports into a full one."`
	Key     keyCommand     `cmd:"" help:"Show, back up, restore and rotate the key that encrypts the store; encrypt or decrypt it."`
	Keygen  keygenCommand  `cmd:"" help:"Make a key pair that signs exports."`
	Sign    signCommand    `cmd:"" help:"Sign a store."`
	Verify  verifyCommand  `cmd:"" help:"Verify the signature of a store."`
	Config  configCommand  `cmd:"" help:"Check and show the settings."`
	Version versionCommand `cmd:"" help:"Show the versions of pamline, its importers and its extractors."`
	Help    helpCommand    `cmd:"" help:"Show the help of a command."`
	// These are for shells and packages.
	Completion completionCommand `cmd:"" help:"Print a completion script for bash, zsh or fish."`
	Man        manCommand        `cmd:"" help:"Print the manual page."`

	ShowVersion kong.VersionFlag `name:"version" help:"Show the version."`
}

// app is what a command gets besides its flags.
type app struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	// terminal tells whether a person watches standard error: then there is progress.
	terminal bool
	// style is that of standard output.
	style   style.Style
	environ []string
	// newKey is where the master key of a store is that this command has begun, until that was
	// said.
	newKey string
}

// say writes a message for the person to standard error.
func (a *app) say(format string, args ...any) {
	_, _ = fmt.Fprintln(a.stderr, "pamline: "+visible(fmt.Sprintf(format, args...), "\n\t")) // there is nobody left to tell
}

func runCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	args = helpArgs(args)
	parser, err := kong.New(grammarFor(args), append(flags.Types(),
		kong.Name("pamline"),
		kong.Description("Turns export archives of AI assistants into validated Portable AI Memory (PAM) stores."),
		kong.Writers(stdout, stderr),
		kong.Vars{"providers": strings.Join(providers.Default().Names(), ", "), "version": "pamline " + build.Of(version).Pamline},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)...)
	if err != nil {
		panic(err) // the declaration above is wrong; every test would meet it
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return reportMisuse(stderr, err)
	}
	ctx, stop := interrupt.Context(context.Background(), stderr)
	defer stop()
	a := &app{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, terminal: isTerminal(stderr), style: style.For(isTerminal(stdout), os.Getenv), environ: os.Environ()}
	if err := refuseSealedPaths(parsed); err != nil {
		return a.end(err)
	}
	return a.end(parsed.Run(a, parser))
}

// reportMisuse explains a wrong command line.
func reportMisuse(stderr io.Writer, err error) int {
	command := "pamline"
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if path := wrong.Context.Command(); path != "" {
			command += " " + strings.Fields(path)[0]
		}
	}
	_, _ = fmt.Fprintf(stderr, "pamline: %v\nTry: %s --help\n", err, command) // as in say
	return exit.Usage
}

// end says what went wrong and gives the exit code. Only a signal interrupts: a context that ended
// for another reason is an error like any other.
func (a *app) end(err error) int {
	a.sayNewKey()
	code := exit.Code(err)
	if code == exit.Interrupted && a.ctx.Err() == nil {
		code = exit.Failed
	}
	switch {
	case err == nil || err.Error() == "":
	case code == exit.Interrupted && errors.Is(err, context.Canceled):
		a.say("interrupted")
	default:
		a.say("%v", err)
	}
	return code
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

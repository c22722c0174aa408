// Package cli makes shell completions and a manual page of a kong command line, so that they are
// never out of date.
package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are those that Completion knows.
var Shells = []string{"bash", "zsh", "fish"}

// Completion is the script that completes a program's commands and flags in a shell.
func Completion(app *kong.Application, shell string) (string, error) {
	switch shell {
	case "bash":
		return fmt.Sprintf(bash, app.Name, cases(app), strings.Join(paths(app), "|")), nil
	case "zsh":
		return fmt.Sprintf(zsh, app.Name, cases(app), strings.Join(paths(app), "|")), nil
	case "fish":
		return fish(app), nil
	}
	return "", fmt.Errorf("complete %s: known shells: %s", shell, strings.Join(Shells, ", "))
}

const bash = `# bash completion of %[1]s. To use it: source <(%[1]s completion bash)
_%[1]s() {
  local cur=${COMP_WORDS[COMP_CWORD]} at= w words=
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $w" in %[3]s) at="$at $w" ;; esac
  done
  case "$at" in
%[2]s  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ $cur == -* || -z $at ]] || COMPREPLY+=($(compgen -f -- "$cur"))
}
complete -o filenames -F _%[1]s %[1]s
`

const zsh = `#compdef %[1]s
# zsh completion of %[1]s. To use it: source <(%[1]s completion zsh)
_%[1]s() {
  local at= w text=
  for w in "${(@)words[2,CURRENT-1]}"; do
    case "$at $w" in %[3]s) at="$at $w" ;; esac
  done
  local words=
  case "$at" in
%[2]s  esac
  compadd -- ${=words}
  [[ $PREFIX == -* || -z $at ]] || _files
}
if [[ $funcstack[1] == _%[1]s ]]; then _%[1]s "$@"; else compdef _%[1]s %[1]s; fi
`

// node is a command with its path, which has a blank before each name.
func nodes(app *kong.Application, visit func(path string, n *kong.Node)) {
	var walk func(path string, n *kong.Node)
	walk = func(path string, n *kong.Node) {
		visit(path, n)
		for _, c := range n.Children {
			if c.Type == kong.CommandNode && !c.Hidden {
				walk(path+" "+c.Name, c)
			}
		}
	}
	walk("", app.Node)
}

// paths are quoted patterns of all commands.
func paths(app *kong.Application) (out []string) {
	nodes(app, func(path string, _ *kong.Node) {
		if path != "" {
			out = append(out, `"`+path+`"`)
		}
	})
	return out
}

// cases are the branches of a shell's case that set words to what may follow each command.
func cases(app *kong.Application) string {
	var b strings.Builder
	nodes(app, func(path string, n *kong.Node) {
		var words []string
		for _, c := range n.Children {
			if !c.Hidden {
				words = append(words, c.Name)
			}
		}
		for _, f := range flags(n) {
			words = append(words, "--"+f.Name)
		}
		fmt.Fprintf(&b, "    %q) words=%q ;;\n", path, strings.Join(words, " "))
	})
	return b.String()
}

// flags are those of a command and --help.
func flags(n *kong.Node) (out []*kong.Flag) {
	for _, f := range n.Flags {
		if !f.Hidden {
			out = append(out, f)
		}
	}
	if n.Parent != nil {
		for root := n.Parent; root != nil; root = root.Parent {
			for _, f := range root.Flags {
				if f.Name == "help" {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// fish writes a line for each command and flag, with its help.
func fish(app *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion of %[1]s. To use it: %[1]s completion fish | source\n", app.Name)
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	nodes(app, func(path string, n *kong.Node) {
		var when string
		if words := strings.Fields(path); len(words) == 0 {
			when = "__fish_use_subcommand"
		} else {
			for i, w := range words {
				words[i] = "__fish_seen_subcommand_from " + w
			}
			when = strings.Join(words, "; and ")
		}
		for _, c := range n.Children {
			if !c.Hidden {
				fmt.Fprintf(&b, "complete -c %s -f -n %s -a %s -d %s\n", app.Name, quote(when), c.Name, quote(c.Help))
			}
		}
		for _, f := range flags(n) {
			value := ""
			if !f.IsBool() {
				value = " -r"
			}
			fmt.Fprintf(&b, "complete -c %s -n %s -l %s%s -d %s\n", app.Name, quote(when), f.Name, value, quote(f.Help))
		}
	})
	return b.String()
}

package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Man is the manual page of a program with all its commands, in roff. footer is shown at its foot:
// a version.
func Man(app *kong.Application, footer string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s\" \"User Commands\"\n", strings.ToUpper(app.Name), roff(footer))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", app.Name, roff(strings.TrimSuffix(app.Help, ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I COMMAND\n[\\fIFLAG\\fR]... [\\fIARGUMENT\\fR]...\n.SH COMMANDS\n", app.Name)
	nodes(app, func(path string, n *kong.Node) {
		if path == "" || !n.Leaf() {
			return
		}
		fmt.Fprintf(&b, ".SS \"%s%s", app.Name, roff(path))
		for _, a := range n.Positional {
			fmt.Fprintf(&b, " %s", roff(a.Summary()))
		}
		fmt.Fprintf(&b, "\"\n%s\n", roff(n.Help))
		about, example, _ := strings.Cut(n.Detail, "Example")
		if about = strings.TrimSpace(about); about != "" {
			fmt.Fprintf(&b, ".PP\n%s\n", roff(strings.Join(strings.Fields(about), " ")))
		}
		for _, a := range n.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(a.Summary()), roff(a.Help))
		}
		for _, f := range n.Flags {
			if f.Hidden {
				continue
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(flagText(f)), roff(f.Help))
		}
		if _, example, ok := strings.Cut(example, "\n"); ok {
			fmt.Fprintf(&b, ".PP\nExample:\n.PP\n.nf\n%s\n.fi\n", roff(strings.TrimRight(example, "\n")))
		}
	})
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exits {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", e.code, e.what)
	}
	return b.String()
}

var exits = []struct{ code, what string }{
	{"0", "Done."},
	{"1", "Nothing done, or the store unchanged because of a failure."},
	{"2", "Usage error."},
	{"3", "Done, but something was unreadable or refused; the report names it."},
	{"130", "Interrupted. Run the same command again to resume."},
}

// flagText is a flag as it is typed.
func flagText(f *kong.Flag) string {
	text := "--" + f.Name
	if f.Short != 0 {
		text = "-" + string(f.Short) + ", " + text
	}
	if !f.IsBool() {
		text += "=" + f.FormatPlaceHolder()
	}
	return text
}

// roff escapes text: backslashes, hyphens that are typed, and lines that would be requests.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

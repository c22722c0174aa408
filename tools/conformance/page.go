package main

import (
	"fmt"
	"strings"
)

// page writes the page of a run.
func page(status map[string]string) string {
	var b strings.Builder
	b.WriteString("# Conformance to PAM 1.0\n\n" +
		"Written by `make conformance`, which runs the tests; do not edit it by hand. Each line is a requirement of the specification, of its schemas, or a\n" +
		"consequence of both: P of who writes PAM, V of who validates, I of who imports and merges, S of who signs and verifies. The text of a requirement is\n" +
		"that of the specification; here stands what it is about. ◇ marks a [departure](#departures).\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| id | about | section | test | status |\n|---|---|---|---|---|\n", g.title)
		for _, r := range g.lines {
			mark := ""
			if isDeparture(r.id) {
				mark = " ◇"
			}
			fmt.Fprintf(&b, "| %s%s | %s | %s | %s | %s |\n", r.id, mark, r.what, r.section, testsOf(r), statusOfLine(r, status))
		}
	}
	b.WriteString("\n## Departures\n\nWhere the specification leaves room, contradicts itself or asks for what would break another promise of pamline.\n\n| id | what pamline does, and why |\n|---|---|\n")
	for _, d := range departures {
		fmt.Fprintf(&b, "| %s | %s |\n", d.id, d.reason)
	}
	b.WriteString("\nOther implementations: `make interop` exchanges bundles and signatures with the published Python package; `pamio/testdata/vectors` has test vectors.\n")
	return b.String()
}

// testsOf lists the tests of a requirement, each with its package.
func testsOf(r requirement) string {
	var all []string
	for _, t := range r.tests {
		folder, name, _ := strings.Cut(t, ":")
		all = append(all, fmt.Sprintf("`%s` %s", folder, name))
	}
	return strings.Join(all, "<br>")
}

// statusOfLine is that of the worst test.
func statusOfLine(r requirement, status map[string]string) string {
	for _, t := range r.tests {
		if status[t] != passed {
			return "**" + status[t] + "**"
		}
	}
	return passed
}

func isDeparture(id string) bool {
	for _, d := range departures {
		if d.id == id {
			return true
		}
	}
	return false
}

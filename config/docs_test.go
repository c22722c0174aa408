package config

import (
	"fmt"
	"strings"
)

// referencePage is the page about all settings in Markdown: docs/configuration.md.
func referencePage() string {
	var b strings.Builder
	b.WriteString(`# Configuration

This page is made from the declarations in ` + "`config/config.go`" + `; a test holds it up to date (` + "`go test ./config -update`" + ` writes it).

A setting is taken from, in rising order: its default, the configuration file (` + "`--config FILE`, or the file named by `PAMLINE_CONFIG`" + `), the environment, the command line.
The file is YAML with one section a table below:

` + "```yaml\nlimits:\n  max_conversation: 8MB\n```" + `

The same from the environment, two underscores between section and setting, and from the command line:

` + "```sh\nPAMLINE_LIMITS__MAX_CONVERSATION=8MB pamline import export.zip\npamline import --set limits.max_conversation=8MB export.zip\n```" + `

A setting that does not exist is an error wherever it stands. ` + "`pamline config lint`" + ` checks a configuration offline, ` + "`pamline config print`" + ` shows what is in effect.

A **size** is a number of bytes, or one with a unit: ` + "`8MB` is 8,000,000 and `8MiB` is 8,388,608" + ` bytes. A **duration** has its unit with it: ` + "`500ms`, `3s`, `1m30s`" + `. A **secret**
is never printed or logged; a file that holds it is better than the text itself. A **file** must exist when the configuration is read.
`)
	heading(&b, Field{Key: "general", Doc: "Settings outside any section."})
	for _, f := range Fields() {
		if f.Type == "section" {
			heading(&b, f)
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Key, kind(f), code(f.Default), f.Doc)
	}
	return b.String()
}

// exampleFile is a configuration file with every setting at its default and commented out.
func exampleFile() string {
	var b strings.Builder
	b.WriteString("# Settings of pamline. Every line is the default; take the # away to change one. See docs/configuration.md.\n")
	for _, f := range Fields() {
		indent, name := strings.Repeat("  ", strings.Count(f.Key, ".")), f.Key[strings.LastIndexByte(f.Key, '.')+1:]
		if f.Type == "section" {
			fmt.Fprintf(&b, "\n%s# %s\n%s%s:\n", indent, f.Doc, indent, name)
			continue
		}
		value := f.Default
		if value == "" {
			value = `""`
		}
		fmt.Fprintf(&b, "%s# %s\n%s# %s: %s\n", indent, f.Doc, indent, name, value)
	}
	return b.String()
}

func heading(b *strings.Builder, f Field) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", f.Key, f.Doc)
	b.WriteString("\n| setting | what | default | meaning |\n|---|---|---|---|\n")
}

func kind(f Field) string {
	s := f.Type
	if len(f.OneOf) > 0 {
		s = "one of " + code(f.OneOf...)
	}
	if f.Unit != "" {
		s += ", " + f.Unit
	}
	if f.Min != "" {
		s += ", at least " + code(f.Min)
	}
	return s
}

func code(values ...string) string {
	quoted := make([]string, 0, len(values))
	for _, v := range values {
		if v != "" {
			quoted = append(quoted, "`"+v+"`")
		}
	}
	return strings.Join(quoted, ", ")
}

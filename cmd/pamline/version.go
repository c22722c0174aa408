package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/pamline/pamline/cmd/internal/build"
)

// version is set when a release is linked.
var version = ""

type versionCommand struct {
	format
}

func (versionCommand) Help() string {
	return "Example:\n  pamline version --format json"
}

type versions struct{ build.Info }

func (c *versionCommand) Run(a *app) error {
	return c.print(a, &versions{build.Of(version)})
}

func (v *versions) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "pamline %s (%s, %s)\nimporters   %s\nextractors  %s\n",
		v.Pamline, v.Go, v.Platform, strings.Join(v.Importers, ", "), strings.Join(v.Extractors, ", "))
	return err
}

package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/providers"
)

// version is set when a release is linked.
var version = ""

type versionCommand struct {
	format
}

func (versionCommand) Help() string {
	return "Example:\n  pamline version --format json"
}

type versions struct {
	Pamline    string   `json:"pamline"`
	Go         string   `json:"go"`
	Platform   string   `json:"platform"`
	Importers  []string `json:"importers"`
	Extractors []string `json:"extractors"`
}

func (c *versionCommand) Run(a *app) error {
	return c.print(a, &versions{
		Pamline: moduleVersion(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Importers: providers.Default().Versions(), Extractors: builtin.Registry().Versions(),
	})
}

func (v *versions) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "pamline %s (%s, %s)\nimporters   %s\nextractors  %s\n",
		v.Pamline, v.Go, v.Platform, strings.Join(v.Importers, ", "), strings.Join(v.Extractors, ", "))
	return err
}

// moduleVersion is the version that was linked in, else that of the module, else "devel".
func moduleVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// Package build says what a binary was built from and what is in it.
package build

import (
	"runtime"
	"runtime/debug"

	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/providers"
)

// Info is what a program is, as `pamline version` and GET /version tell it.
type Info struct {
	Pamline    string   `json:"pamline"`
	Go         string   `json:"go"`
	Platform   string   `json:"platform"`
	Importers  []string `json:"importers"`
	Extractors []string `json:"extractors"`
}

// Of gives that of this binary. linked is the version that was set when a release was linked; it
// may be "".
func Of(linked string) Info {
	return Info{
		Pamline: version(linked), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Importers: providers.Default().Versions(), Extractors: builtin.Registry().Versions(),
	}
}

// version is the one that was linked in, else that of the module, else "devel".
func version(linked string) string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

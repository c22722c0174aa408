package obs

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pamline/pamline/cmd/internal/build"
)

// Build registers pam_build_info, which is always 1: its labels say what runs.
func Build(r prometheus.Registerer, info build.Info) error {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "pam_build_info", Help: "Always 1; the labels say what this process is built from.",
	}, []string{"version", "go", "importers", "extractors"})
	g.WithLabelValues(info.Pamline, info.Go, strings.Join(info.Importers, ","), strings.Join(info.Extractors, ",")).Set(1)
	return r.Register(g)
}

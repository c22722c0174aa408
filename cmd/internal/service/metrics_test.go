package service

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/pamline/pamline/cmd/internal/build"
	"github.com/pamline/pamline/config"
)

// kinds are the descriptions of the metrics of a service, by name: type and labels as the page has
// them.
type kinds struct {
	prometheus.Registerer
	text map[string]string
}

var described = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

func (k kinds) Register(c prometheus.Collector) error {
	kind := "gauge"
	switch c.(type) {
	case *prometheus.CounterVec:
		kind = "counter"
	case *prometheus.HistogramVec:
		kind = "histogram"
	}
	descs := make(chan *prometheus.Desc, 10)
	c.Describe(descs)
	close(descs)
	for d := range descs {
		m := described.FindStringSubmatch(d.String())
		labels := "–"
		if m[2] != "" {
			labels = "`" + strings.ReplaceAll(m[2], ",", "`, `") + "`"
		}
		k.text[m[1]] = kind + " | " + labels
	}
	return k.Registerer.Register(c)
}

func TestThePageOfMetricsNamesThemAll(t *testing.T) {
	have := map[string]string{}
	if _, err := registerFigures(kinds{prometheus.NewRegistry(), have}, build.Of("")); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(pam_[a-z0-9_]+)` \\| ([^|]+) \\| ([^|]+) \\|").FindAllStringSubmatch(string(page), -1) {
		told[row[1]] = strings.TrimSuffix(strings.TrimSpace(row[2]), ", in turn") + " | " + strings.TrimSpace(row[3])
	}
	for name, is := range have {
		if told[name] != is {
			t.Errorf("docs/metrics.md has %s as %q; it is %q", name, told[name], is)
		}
	}
	for name := range told {
		if have[name] == "" {
			t.Errorf("docs/metrics.md explains %s, which is not there", name)
		}
	}
	if len(have) < 18 {
		t.Errorf("only %d metrics", len(have))
	}
	for name, is := range have {
		if strings.Contains(is, "owner") || strings.Contains(is, "import`") {
			t.Errorf("%s has a label without a bound: %s", name, is)
		}
	}
}

func TestAServiceShowsWhatItIs(t *testing.T) {
	c, err := config.Load(config.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), c, "pamline-test", "v1.2.3", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	s.store.tell("get", "ok", 0)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`version="v1.2.3"`, "chatgpt-importer/", `pam_s3_requests_total{op="get",outcome="ok"} 1`, "pam_exports_total 0"} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s", want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

package deploy_test

import (
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// foreign are figures of others that alerts and dashboards look at, with who tells them.
var foreign = map[string]string{
	"up": "Prometheus",
	// prometheus-nats-exporter with -varz -jsz=all -prefix=nats
	"nats_varz_slow_consumers":        "NATS exporter",
	"nats_server_total_streams":       "NATS exporter",
	"nats_server_total_message_bytes": "NATS exporter",
	"nats_server_max_storage":         "NATS exporter",
	"nats_stream_total_bytes":         "NATS exporter",
	"nats_stream_total_messages":      "NATS exporter",
	"nats_consumer_num_pending":       "NATS exporter",
	"nats_consumer_num_ack_pending":   "NATS exporter",

	"kubelet_volume_stats_available_bytes": "kubelet",
	"kubelet_volume_stats_capacity_bytes":  "kubelet",
	"node_filesystem_avail_bytes":          "node exporter",
	"node_filesystem_size_bytes":           "node exporter",
}

var figure = regexp.MustCompile(`\b(?:pam|nats|process|go|kubelet|node)_[a-z0-9_]+`)

var registered = regexp.MustCompile(`"(pam_[a-z0-9_]+)"`)

// known are the figures that pamline's programs register, those of Go and of the process, and
// foreign ones.
func known(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, room := range []string{"../pipeline", "../cmd"} {
		err := filepath.WalkDir(room, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, name := range registered.FindAllStringSubmatch(read(t, path), -1) {
				out[name[1]] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(out) < 10 {
		t.Fatalf("only %d figures are registered", len(out))
	}
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		out[f.GetName()] = true
	}
	for name := range foreign {
		out[name] = true
	}
	return out
}

// check fails for a figure of an expression that nobody tells.
func check(t *testing.T, known map[string]bool, where, expr string) int {
	t.Helper()
	names := figure.FindAllString(expr, -1)
	for _, name := range names {
		base := name
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			base = strings.TrimSuffix(base, end)
		}
		if !known[name] && !known[base] {
			t.Errorf("%s: nobody tells %s", where, name)
		}
	}
	return len(names)
}

func TestAlertsAndDashboardsLookAtFiguresThereAre(t *testing.T) {
	known, found := known(t), 0
	for _, a := range alerts(t) {
		found += check(t, known, a.Alert, a.Expr)
	}
	for _, path := range dashboards(t) {
		for _, expr := range expressions(decode[any](t, document(t, path))) {
			found += check(t, known, path, expr)
		}
	}
	if found < 50 {
		t.Errorf("only %d figures were found", found)
	}
}

// expressions are all strings that stand under the key expr or query.
func expressions(o any) (out []string) {
	switch o := o.(type) {
	case object:
		for _, k := range slices.Sorted(maps.Keys(o)) {
			if s, ok := o[k].(string); ok && (k == "expr" || k == "query") {
				out = append(out, s)
			} else {
				out = append(out, expressions(o[k])...)
			}
		}
	case []any:
		for _, v := range o {
			out = append(out, expressions(v)...)
		}
	}
	return out
}

func dashboards(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, path := range files(t, ".json") {
		if strings.HasPrefix(path, "grafana/") {
			out = append(out, path)
		}
	}
	return out
}

func TestDashboardsCanBeProvisioned(t *testing.T) {
	shipped := read(t, "grafana/kustomization.yaml")
	uids := map[string]string{}
	for _, path := range dashboards(t) {
		d := document(t, path)
		uid, _ := d["uid"].(string)
		if uid == "" || uids[uid] != "" || d["id"] != nil {
			t.Errorf("%s: uid %q, also in %q; id %v", path, uid, uids[uid], d["id"])
		}
		uids[uid] = path
		if !strings.Contains(shipped, strings.TrimPrefix(path, "grafana/")) {
			t.Errorf("%s is not in the ConfigMap", path)
		}
		// Every panel and target asks the source that is chosen at the top.
		ids := map[any]bool{}
		for _, p := range d["panels"].([]any) {
			if at(p, "datasource", "uid") != "${datasource}" || ids[at(p, "id")] || at(p, "description") == "" {
				t.Errorf("%s: panel %v: another source, the id of another, or no words", path, at(p, "title"))
			}
			ids[at(p, "id")] = true
		}
	}
}

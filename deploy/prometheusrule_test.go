package deploy_test

import (
	"os"
	"strings"
	"testing"
)

const operatorRules = "kubernetes/components/monitoring/prometheusrule.yaml"

// operatorHead is what the Prometheus operator wants before the same rules.
const operatorHead = `# Made of deploy/prometheus/alerts.yaml by go test ./deploy -update: change it there.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: pamline
spec:
`

func TestTheOperatorHasTheSameAlerts(t *testing.T) {
	_, groups, ok := strings.Cut(read(t, "prometheus/alerts.yaml"), "\ngroups:\n")
	if !ok {
		t.Fatal("alerts.yaml has no groups")
	}
	var want strings.Builder
	want.WriteString(operatorHead + "  groups:\n")
	for line := range strings.Lines(groups) {
		if line != "\n" {
			line = "  " + line
		}
		want.WriteString(line)
	}
	if *update {
		if err := os.WriteFile(operatorRules, []byte(want.String()), 0o644); err != nil { //nolint:gosec // a file of the project
			t.Fatal(err)
		}
	}
	if read(t, operatorRules) != want.String() {
		t.Errorf("%s is not made of today's alerts: go test ./deploy -update", operatorRules)
	}
}

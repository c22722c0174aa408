package deploy_test

import (
	"net/url"
	"slices"
	"strconv"
	"testing"
)

type policy struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Selector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"podSelector"`
		Types   []string `json:"policyTypes"`
		Ingress []rule   `json:"ingress"`
		Egress  []rule   `json:"egress"`
	} `json:"spec"`
}

type rule struct {
	From  []any `json:"from"`
	To    []any `json:"to"`
	Ports []struct {
		Port int `json:"port"`
	} `json:"ports"`
}

func policies(t *testing.T) map[string]policy {
	t.Helper()
	out := map[string]policy{}
	for _, o := range objects(t, "NetworkPolicy") {
		p := decode[policy](t, o)
		out[p.Metadata.Name] = p
	}
	return out
}

func ports(rules []rule) (out []int) {
	for _, r := range rules {
		for _, p := range r.Ports {
			out = append(out, p.Port)
		}
	}
	return out
}

func port(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return n
}

func TestWorkersAreDeniedWhatIsNotNamed(t *testing.T) {
	all := policies(t)
	deny := all["pamline-deny"].Spec
	if len(deny.Ingress)+len(deny.Egress) > 0 || !slices.Equal(deny.Types, []string{"Ingress", "Egress"}) || deny.Selector.MatchLabels["app.kubernetes.io/name"] != "pamline" {
		t.Errorf("%+v", deny)
	}
	for name, p := range all {
		for _, r := range append(p.Spec.Ingress, p.Spec.Egress...) {
			if len(r.From)+len(r.To) == 0 || len(r.Ports) == 0 {
				t.Errorf("%s lets everybody in or out, or to every port: %+v", name, r)
			}
		}
	}
}

func TestPoliciesKnowThePortsOfTheSettings(t *testing.T) {
	all, settings := policies(t), load(t, "kubernetes/overlays/cluster/pamline.yaml")
	nats := port(t, settings.NATS.URL)
	for name, want := range map[string]int{
		"pamline-nats": nats, "pamline-bucket": 443, "pamline-dns": 53, "pamline-otlp": 4318, "pamline-llm": 11434,
	} {
		if got := ports(all[name].Spec.Egress); !slices.Contains(got, want) {
			t.Errorf("%s lets out to %v, not to %d", name, got, want)
		}
	}
	if got := ports(all["pamline-scrape"].Spec.Ingress); !slices.Equal(got, []int{port(t, "http://"+settings.HTTP.Addr)}) {
		t.Errorf("workers can be scraped at %v, and listen at %s", got, settings.HTTP.Addr)
	}
	// Clients, the cluster itself, KEDA and the exporter.
	for _, want := range []int{nats, 6222, monitoring(t), 7777} {
		if got := ports(all["nats"].Spec.Ingress); !slices.Contains(got, want) {
			t.Errorf("NATS lets in to %v, not to %d", got, want)
		}
	}
}

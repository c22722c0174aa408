package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

type alert struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alerts(t *testing.T) (out []alert) {
	t.Helper()
	rules := decode[struct {
		Groups []struct {
			Rules []alert `json:"rules"`
		} `json:"groups"`
	}](t, document(t, "prometheus/alerts.yaml"))
	for _, g := range rules.Groups {
		out = append(out, g.Rules...)
	}
	if len(out) == 0 {
		t.Fatal("there are no alerts")
	}
	return out
}

const manual = "../docs/operations.md"

var heading = regexp.MustCompile(`(?m)^#+ (.+)$`)

// anchors are the names that the headings of a page can be linked by.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(read(t, path), -1) {
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, h[1])] = true
	}
	return out
}

func TestEveryAlertHasARunbook(t *testing.T) {
	have, named := anchors(t, manual), map[string]bool{}
	for _, a := range alerts(t) {
		page, anchor, _ := strings.Cut(a.Annotations["runbook_url"], "#")
		if !strings.HasSuffix(page, "/docs/operations.md") || anchor != strings.ToLower(a.Alert) || !have[anchor] {
			t.Errorf("%s has no section in docs/operations.md: %s#%s", a.Alert, page, anchor)
		}
		named[anchor] = true
		if s := a.Labels["severity"]; s != "page" && s != "ticket" || a.Annotations["summary"] == "" {
			t.Errorf("%s: severity %q, summary %q", a.Alert, s, a.Annotations["summary"])
		}
	}
	for anchor := range have {
		if strings.HasPrefix(anchor, "pam") && !named[anchor] {
			t.Errorf("docs/operations.md has a section %s, and no alert has that name", anchor)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range append(files(t, ".md"), manual) {
		for _, l := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(l[1], "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if anchor != "" && !anchors(t, to)[anchor] {
				t.Errorf("%s: %s has no heading #%s", page, to, anchor)
			}
		}
	}
}

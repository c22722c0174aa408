package providers

import (
	"slices"
	"testing"
)

func TestASourceBelongsToTheVersionOfAnImporter(t *testing.T) {
	r := Default()
	for _, pin := range []string{"manual+chatgpt", "manual-importer/2026.11+chatgpt"} {
		asked, err := r.Asked(pin)
		if err != nil || !slices.Equal(asked, []string{"manual-importer/2026.11+chatgpt"}) {
			t.Errorf("%s asks %v, %v", pin, asked, err)
		}
	}
	again, err := r.ByVersion("manual-importer/2026.11+chatgpt")
	if err != nil || again.Version() != "manual-importer/2026.11+chatgpt" || again.Name() != "manual" {
		t.Errorf("%v, %v", again, err)
	}
	for _, wrong := range []string{"manual+", "manual+Chat GPT", "chatgpt+claude", "none+chatgpt"} {
		if asked, err := r.Asked(wrong); err == nil {
			t.Errorf("%s asks %v", wrong, asked)
		}
	}
}

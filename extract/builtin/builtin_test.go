package builtin

import (
	"regexp"
	"testing"
)

func TestVersionsHaveTheFormOfAnExtractor(t *testing.T) {
	form := regexp.MustCompile(`^[a-zA-Z0-9_-]+/[0-9]+\.[0-9]+\.[0-9]+$`) // PAM §11
	versions := Registry().Versions()
	if len(versions) == 0 {
		t.Fatal("no extractors")
	}
	for _, v := range versions {
		if !form.MatchString(v) {
			t.Errorf("version %q", v)
		}
	}
}

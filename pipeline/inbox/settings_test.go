package inbox

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
)

func FuzzMarker(f *testing.F) {
	for _, seed := range []string{"", "importer: chatgpt\nextractors: a,b", "# x\n\n", "\ufeffimporter:", ":", "a:b:c", "importer: a\nimporter: b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		settings, err := readMarker(strings.NewReader(text))
		if err != nil {
			if fault.Of(err) != fault.Permanent {
				t.Errorf("class %s: %v", fault.Of(err), err)
			}
			return
		}
		for name, value := range settings {
			if name == "" || name != strings.TrimSpace(name) || strings.ContainsAny(value, "\n") || !strings.Contains(strings.ToLower(text), name) {
				t.Errorf("%q says %q: %q", text, name, value)
			}
		}
	})
}

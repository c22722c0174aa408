package llm

import (
	"errors"
	"testing"

	"github.com/pamline/pamline/extract"
)

func TestCheckFindsTheFormAndAsksNothingPersonal(t *testing.T) {
	for _, api := range apis {
		s := newService(t)
		s.refuses[rungSchema] = true
		form, err := must(t, options(s, api)).Check(t.Context())
		if err != nil || form == "" || form == string(rungSchema) {
			t.Errorf("%s: %q %v", api, form, err)
		}
		if n := len(s.asked()); n != 0 {
			t.Errorf("%s: %d questions beside the probe", api, n)
		}
	}
	s := newService(t)
	for _, r := range []rung{rungSchema, rungObject, rungTool, rungPlain} {
		s.refuses[r] = true
	}
	var asked *extract.AskError
	if _, err := must(t, options(s, OpenAI)).Check(t.Context()); !errors.As(err, &asked) || asked.Hint == "" {
		t.Errorf("%v", err)
	}
}

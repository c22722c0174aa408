package pipeline

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/providers"
)

func TestBracesAndCommasOfTextsDoNotMakeAUnitHeavy(t *testing.T) {
	text := `{"a":"` + strings.Repeat(`{,\"`, 1<<20) + `"}`
	if got, want := membudget.WeighUnit([]byte(text)), membudget.WeightOf(len(text), 1, 0); got != want {
		t.Errorf("it weighs %d, want %d", got, want)
	}
}

func TestAUnitOfVeryManySmallPartsIsRefusedForWhatItWouldTake(t *testing.T) {
	const limit = 8 << 20
	for name, c := range map[string]struct {
		raw     string
		refused bool
	}{
		"a long text":     {`["` + strings.Repeat("x", limit-4) + `"]`, false},
		"empty objects":   {`[` + strings.Repeat("{},", 1<<20) + `{}]`, true},
		"some of them":    {`[` + strings.Repeat("{},", 1<<16) + `{}]`, false},
		"the same, named": {`["` + strings.Repeat("{},", 1<<20) + `"]`, false},
	} {
		u := providers.Unit{Index: 3, Offset: 5, Raw: []byte(c.raw)}
		bad := membudget.TooHeavy(u, membudget.WeighUnit(u.Raw), limit)
		if (bad != nil) != c.refused {
			t.Errorf("%s: refused: %v", name, bad)
		}
		if bad != nil && (bad.Code != "too_big" || bad.Index != 3 || bad.Offset != 5 || !strings.Contains(bad.Reason, "limits.max_conversation")) {
			t.Errorf("%s: %+v", name, bad)
		}
	}
}

package membudget

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/providers"
)

func TestBracesAndCommasInTextsDoNotMakeAUnitHeavy(t *testing.T) {
	text := `{"a":"` + strings.Repeat(`{,\"`, 1<<20) + `"}`
	if got, want := EstimateUnit([]byte(text)), Estimate(len(text), 1, 0); got != want {
		t.Errorf("the estimate is %d, want %d", got, want)
	}
}

func TestAUnitOfVeryManySmallPartsIsRefused(t *testing.T) {
	const limit = 8 << 20
	for name, c := range map[string]struct {
		raw     string
		refused bool
	}{
		"a long text":        {`["` + strings.Repeat("x", limit-4) + `"]`, false},
		"empty objects":      {`[` + strings.Repeat("{},", 1<<20) + `{}]`, true},
		"some of them":       {`[` + strings.Repeat("{},", 1<<16) + `{}]`, false},
		"the same in a text": {`["` + strings.Repeat("{},", 1<<20) + `"]`, false},
	} {
		u := providers.Unit{Index: 3, Offset: 5, Raw: []byte(c.raw)}
		bad := CheckUnit(u, EstimateUnit(u.Raw), limit)
		if (bad != nil) != c.refused {
			t.Errorf("%s: refused: %v", name, bad)
		}
		if bad != nil && (bad.Code != "too_big" || bad.Index != 3 || bad.Offset != 5 || !strings.Contains(bad.Reason, "limits.max_conversation")) {
			t.Errorf("%s: %+v", name, bad)
		}
	}
}

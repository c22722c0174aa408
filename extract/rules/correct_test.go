package rules

import "testing"

func TestANumberIsCorrected(t *testing.T) {
	wantContents(t, map[string]string{"I have two brothers. Sorry, three brothers, not two.": "Has three brothers."})
}

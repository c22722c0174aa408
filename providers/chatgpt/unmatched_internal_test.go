package chatgpt

import (
	"slices"
	"strings"
	"testing"
)

func TestIDsAreSeenAtTheTopOnly(t *testing.T) {
	for raw, want := range map[string]string{
		`{"title":"id","id":"a","mapping":{"x":{"id":"no","message":{"conversation_id":"no"}}},"conversation_id":"b"}`: "a b",
		` { "id" : "a\u0062" , "x" : [ {"id":"no"} ] , "conversation_id" : null , "y" : "no" }`:                        "ab",
		`{"a":"\"id\":\"no\"","id":"q\"uote\\"}`:                                                                       `q"uote\`,
		`{"id":{"id":"no"},"conversation_id":["no"],"z":"no"}`:                                                         "",
		`{"id":7,"z":"no"}`: "",
		`{"id":"a`:          "",
		`[{"id":"no"}]`:     "",
		``:                  "",
	} {
		if got := strings.Join(slices.Clone(topIDs([]byte(raw))), " "); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

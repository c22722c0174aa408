package chat

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
)

func TestTagsOfAChat(t *testing.T) {
	for _, c := range []struct {
		list string
		want []string
	}{
		{`["green_tea","green_tea"]`, []string{"green_tea"}},
		{`["Über Tee","Café  Crème!"]`, []string{"uber-tee", "cafe-creme"}},
		{`[{"name":"Pictures"},{"id":"x"},7,null,""]`, []string{"pictures"}},
		{`["茶"," -_"]`, nil},
		{`"tea"`, nil},
		{`["` + strings.Repeat("é", 500) + `"]`, []string{strings.Repeat("e", maxTag/2)}},
	} {
		doc, err := jsonscan.Parse([]byte(c.list), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := tags(doc.Root()); !slices.Equal(got, c.want) {
			t.Errorf("%.60s: %q, want %q", c.list, got, c.want)
		}
	}
}

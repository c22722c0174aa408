package search

import (
	"errors"
	"testing"
)

func TestAQuerySaysWhatATextMustHave(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        bool
	}{
		{"walnut allergy", "My allergy is to one nut: the walnut.", true},
		{"walnut allergy", "walnuts and an allergy", false},
		{"walnut*", "walnuts", true},
		{`"olive oil"`, "Olive oil, please", true},
		{`"olive oil"`, "oil of an olive", false},
		{`"olive oil`, "olive oil", true},
		{"“olive oil”", "olive, oil", true},
		{`"olive oi"*`, "olive oils", true},
		{"tea -green", "black tea", true},
		{"tea -green", "Green tea", false},
		{`tea -"ice cold"`, "a cold tea without ice", true},
		{`tea -"ice cold"`, "ice-cold tea", false},
		{"don't", "I don’t know", true},
		{"foo.bar", "foo_bar", true},
		{"creme BRULEE", "crème brûlée", true},
		{"过敏", "核桃过敏了", true},
		{"核敏", "核桃过敏了", false},
		{"茶", "我喜欢茶", true},
		{"欢", "我喜欢茶", true},
		{"茶 -咖啡", "我喜欢茶和咖啡", false},
		{"GPT4を使う", "GPT4を使うとき", true},
		{"を使う gpt4", "GPT4を使う", true},
		{"كتاب", "قرأت الكِتاب", true},
		{"елка", "Ёлка", true},
		{"5*", "year 55", true},
	} {
		q, err := ParseQuery(c.query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
		} else if got := q.Matches(c.text); got != c.want {
			t.Errorf("%s in %q: %v", c.query, c.text, got)
		}
	}
}

func TestAQueryNeedsAWord(t *testing.T) {
	for _, text := range []string{"", "  ", "!!!", "-tea", `""`, "- *", "🙂"} {
		if _, err := ParseQuery(text); !errors.Is(err, ErrNoWords) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAPhraseOfShortWordsIsFoundByItsPairs(t *testing.T) {
	for query, want := range map[string]string{
		`"to be or"`:      `("or" AND "to" AND "to` + markPair + `be" AND "be" AND "be` + markPair + `or")`,
		`"to bee*"`:       `("bee" * AND "to")`,
		`"the quick fix"`: `("fix" AND "the" AND "quick")`,
		`tea`:             `("tea")`,
	} {
		q, err := ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.join(allWords, (*term).expression); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
}

package restate_test

import (
	"testing"

	"github.com/pamline/pamline/extract/restate"
	"github.com/pamline/pamline/extract/rules"
)

func TestSentencesAreReadInBothPersons(t *testing.T) {
	for _, c := range []struct {
		name, said, first, third string
	}{
		{"user", "User lives in Graz, Austria.", "I live in Graz, Austria.", "Lives in Graz, Austria."},
		{"the user, with an adverb", "The user currently works as a nurse and lives in Graz.", "I currently work as a nurse and live in Graz.", "Currently works as a nurse and lives in Graz."},
		{"genitive", "User's wife is named Eva.", "My wife is named Eva.", "Their wife is named Eva."},
		{"a name", "Nora runs a bakery with her husband.", "I run a bakery with my husband.", "Runs a bakery with their husband."},
		{"a pronoun", "She is learning Czech.", "I am learning Czech.", "Is learning Czech."},
		{"a possessive", "Her daughter goes to school in Linz.", "My daughter goes to school in Linz.", "Their daughter goes to school in Linz."},
		{"no subject", "Keeps three hens", "I keep three hens", "Keeps three hens."},
		{"denied", "User doesn’t eat fish", "I don't eat fish", "Doesn't eat fish."},
		{"past", "User moved to Graz in 2021.", "I moved to Graz in 2021.", "Moved to Graz in 2021."},
		{"an adverbial first", "In 2021, the user moved to Graz.", "I moved to Graz in 2021.", "Moved to Graz in 2021."},
		{"first person", "I studied physics in my youth.", "I studied physics in my youth.", "Studied physics in their youth."},
		{"first person, contracted", "I'm a carpenter", "I'm a carpenter", "Is a carpenter."},
		{"first person, a verb without a table", "I rewire old lamps.", "I rewire old lamps.", "Rewires old lamps."},
		{"first person, irregular past", "I grew up near a lake.", "I grew up near a lake.", "Grew up near a lake."},
		{"first person, two verbs", "I build boats and sail in summer.", "I build boats and sail in summer.", "Builds boats and sails in summer."},
		{"label", "Location: Graz", "I live in Graz", "Lives in Graz."},
		{"label of the name", "Full name: Nora Weiss", "My name is Nora Weiss", "Their name is Nora Weiss."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := restate.Reader{Tongue: rules.New(), Names: []string{"Nora Weiss", "Nora"}}
			r.Begin()
			s, ok := r.Read(c.said)
			if !ok || s.First != c.first || s.Third != c.third || s.Said != c.said {
				t.Errorf("got %v %+v, expected %q and %q", ok, s, c.first, c.third)
			}
		})
	}
}

func TestSentencesAboutOthersStayAsTheyAre(t *testing.T) {
	r := restate.Reader{Tongue: rules.New()}
	for _, said := range []string{"Eva works as a nurse.", "She likes her job.", "The dog is old.", "German", "Users like tea.", "Username is free."} {
		if s, ok := r.Read(said); ok || s.First != "" {
			t.Errorf("%q is read as %+v", said, s)
		}
	}
}

func TestAPronounStandsForThePersonOnlyWhereItMust(t *testing.T) {
	for name, text := range map[string][]struct {
		said string
		own  bool
	}{
		"the sentence before is about the person": {{"User is a nurse.", true}, {"She lives in Linz.", true}},
		"somebody else was named":                 {{"User has a sister.", true}, {"She lives in Linz.", false}, {"Her house is old.", false}},
		"a possessive told the pronoun":           {{"Nora lives with her brother.", true}, {"She is a nurse.", true}, {"He paints.", false}},
		"the sentence before is about another":    {{"Eva is a nurse.", false}, {"She lives in Linz.", false}},
	} {
		r := restate.Reader{Tongue: rules.New(), Names: []string{"Nora"}}
		for _, c := range text {
			if _, ok := r.Read(c.said); ok != c.own {
				t.Errorf("%s: %q: about the person %v", name, c.said, ok)
			}
		}
	}
}

func TestAHomeWithRelativesHasAPartForEach(t *testing.T) {
	r := restate.Reader{Tongue: rules.New(), Names: []string{"Jan"}}
	for said, want := range map[string][]string{
		"Jan lives in Graz with his wife Eva and his son Max.": {"Lives in Graz.", "Their wife is named Eva.", "Their son is named Max."},
		"Jan lives in Graz with his wife, Eva, and his dog.":   {"Lives in Graz.", "Their wife is named Eva.", "Has a dog."},
		"Jan lives in Graz with his wife and two old cats.":    {"Lives in Graz.", "Lives with their wife and two old cats."},
		"Jan lives in Graz with a view.":                       {"Lives in Graz with a view."},
		"Jan is a nurse and a poet, and works in Linz.":        {"Is a nurse and a poet.", "Works in Linz."},
		"Jan is a 41-year-old cook based in Graz, and rows.":   {"Is 41 years old.", "Is a cook.", "Lives in Graz, and rows."},
		"Jan is vegetarian and is allergic to nuts.":           {"Is vegetarian.", "Is allergic to nuts."},
		"User, a dad of one in Graz, keeps hens.":              {"Is a dad of one.", "Lives in Graz.", "Keeps hens."},
		"Jan is a cook who paints.":                            {"Is a cook.", "Paints."},
		"Jan reads and writes poems.":                          {"Reads and writes poems."},
		"Jan plays chess with his wife Eva.":                   {"Plays chess with their wife Eva."},
	} {
		s, _ := r.Read(said)
		var got []string
		for _, p := range r.Parts(s) {
			got = append(got, p.Third)
		}
		if len(got) != len(want) {
			t.Errorf("%q: %q", said, got)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q: %q", said, got)
			}
		}
	}
}

func TestTheOwnerOfASummaryIsWhomItBeginsWith(t *testing.T) {
	for _, c := range []struct {
		sentences []string
		want      string
	}{
		{[]string{"Nora Weiss runs a bakery.", "She lives in Graz."}, "Nora Weiss"},
		{[]string{"Nora's bakery is in Graz."}, "Nora"},
		{[]string{"Eva is User's wife.", "User lives in Graz."}, ""},
		{[]string{"Keeps hens.", "Lives in Graz."}, ""},
		{[]string{"Graz"}, ""},
		{nil, ""},
	} {
		got := restate.Owner(rules.New(), c.sentences)
		if (len(got) == 0) != (c.want == "") || len(got) > 0 && got[0] != c.want {
			t.Errorf("%q: %q", c.sentences, got)
		}
	}
}

func TestSentencesInOtherLanguages(t *testing.T) {
	for _, c := range []struct{ said, first, third string }{
		{"Der Nutzer wohnt in Graz und arbeitet als Koch.", "Ich wohne in Graz und arbeite als Koch.", "Wohnt in Graz und arbeitet als Koch."},
		{"Die Nutzerin hat zwei Katzen und lebt auf dem Land.", "Ich habe zwei Katzen und lebe auf dem Land.", "Hat zwei Katzen und lebt auf dem Land."},
		{"L'utilisateur habite à Lyon avec sa femme.", "Je habite à Lyon avec ma femme.", "Habite à Lyon avec sa femme."},
		{"El usuario vive en Quito y trabaja en un banco.", "vivo en Quito y trabajo en un banco.", "Vive en Quito y trabaja en un banco."},
		{"L'utente abita a Torino e studia medicina.", "abito a Torino e studio medicina.", "Abita a Torino e studia medicina."},
		{"O usuário mora em Coimbra e gosta de chá.", "Eu moro em Coimbra e gosto de chá.", "Mora em Coimbra e gosta de chá."},
		{"Пользователь живёт в Казани и работает врачом.", "Я живу в Казани и работаю врачом.", "Живёт в Казани и работает врачом."},
		{"用户住在上海。", "我住在上海。", "住在上海。"},
		{"ユーザーは東京に住んでいる。", "私は東京に住んでいる。", "東京に住んでいる。"},
	} {
		r := restate.Reader{Tongue: rules.New()}
		r.Begin()
		if s, ok := r.Read(c.said); !ok || s.First != c.first || s.Third != c.third {
			t.Errorf("%q: %v %+v, expected %q and %q", c.said, ok, s, c.first, c.third)
		}
	}
}

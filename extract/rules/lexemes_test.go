package rules

import (
	"slices"
	"strings"
	"testing"
)

func TestVerbsAreListedOnceAndInflected(t *testing.T) {
	l := lexemes{
		Columns: []string{"base", "third", "past", "done"},
		Says:    map[string]string{"base": "third", "done": "done"},
		Endings: map[string]map[string]string{
			"third": {"": "s", "y": "ies", "ay": "ays"}, "past": {"": "ed", "e": "ed"},
			"done": {"": "ed", "ir": "pre*t", "re*": "=past", "el": "eled|elled"},
		},
		Habit: []string{"stroll", "tidy", "play", "look_after", "swim = swam swum", "quietly ~ ~ ~", "tread|trede = trod trod|=", "retell = retold", "label"},
		Event: []string{"partir"},
	}
	all, err := l.classes()
	if err != nil {
		t.Fatal(err)
	}
	for class, want := range map[string]string{
		"habit.base": "stroll>strolls tidy>tidies play>plays look after>looks after swim>swims tread>treads trede>treads retell>retells label>labels",
		"habit.done": "strolled>strolled tidyed>tidyed played>played looked after>looked after swum>swum trod>trod treaded>treaded retold>retold labeled>labeled labelled>labelled",
		"event.done": "prepartt>prepartt",
		"verb.base":  "stroll>strolls tidy>tidies play>plays look after>looks after swim>swims tread>treads trede>treads retell>retells label>labels partir>partirs",
	} {
		var got []string
		for _, p := range all[class].list {
			got = append(got, p.said+">"+p.canonical)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is %s", class, strings.Join(got, " "))
		}
	}
}

func TestAWrongEntryOfTheLexiconIsAnError(t *testing.T) {
	for _, l := range []lexemes{
		{Columns: []string{"base"}, Says: map[string]string{"base": "base"}, Habit: []string{"walk walks"}},
		{Columns: []string{"base"}, Says: map[string]string{"base": "third"}, Habit: []string{"walk"}},
		{Columns: []string{"base"}, Says: map[string]string{"base": "base"}, Habit: []string{""}},
	} {
		if _, err := l.classes(); err == nil {
			t.Errorf("%+v is read", l)
		}
	}
}

// A verb stands in one class only, or its statements would be worth two things.
func TestEveryVerbHasOneClass(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it reads all tables, and no two goroutines take part")
	}
	names, err := tableNames()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, err := readTable(name)
		if err != nil {
			t.Fatal(err)
		}
		if src.Lexicon == nil {
			continue
		}
		var lemmas []string
		for _, entry := range slices.Concat(src.Lexicon.State, src.Lexicon.Habit, src.Lexicon.Event, src.Lexicon.Task) {
			lemmas = append(lemmas, strings.Fields(entry)[0])
		}
		slices.Sort(lemmas)
		for i := 1; i < len(lemmas); i++ {
			if lemmas[i] == lemmas[i-1] {
				t.Errorf("%s: %s is listed twice", src.Language, lemmas[i])
			}
		}
	}
}

func TestAClassListsVerbsOfTheLexicon(t *testing.T) {
	l := lexemes{
		Columns: []string{"infinitive", "first", "third"},
		Endings: map[string]map[string]string{"first": {"en": "e"}, "third": {"en": "t"}},
		Habit:   []string{"joggen =|jogg", "laufen = läuft"},
	}
	classes := map[string]words{"does": {[]pair{{"first>third: laufen joggen", ""}, {"fahre rad", "fährt rad"}, {"at 5: tea", "tea"}}}}
	if err := l.listVerbs(classes); err != nil {
		t.Fatal(err)
	}
	want := []pair{{"laufe", "läuft"}, {"jogge", "joggt"}, {"jogg", "joggt"}, {"fahre rad", "fährt rad"}, {"at 5: tea", "tea"}}
	if got := classes["does"].list; !slices.Equal(got, want) {
		t.Errorf("the class is %v", got)
	}
	for _, wrong := range []string{"first>third: tanzen", "first>second: laufen"} {
		if err := l.listVerbs(map[string]words{"does": {[]pair{{wrong, ""}}}}); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

package rules

import (
	"strings"
	"testing"
)

func TestWhatIsToldOfAPartnerNamesThePartner(t *testing.T) {
	for text, want := range map[string]string{
		"My wife Anja is allergic to cats.":              "Anja wife",
		"My boyfriend Tom works at the harbor.":          "Tom boyfriend",
		"My wife Anja Holm is allergic to cats.":         "Anja Holm wife",
		"Ma femme Anja est allergique aux chats.":        "Anja wife",
		"Mia moglie Anja è allergica ai gatti.":          "Anja wife",
		"My boat Anja is green.":                         "",
		"My wife is allergic to cats.":                   "",
		"I am a wife Anja":                               "",
		"My husband Is A Pilot, he says in Title Cases.": "",
	} {
		if name, relation := lastEntity(text); strings.TrimSpace(name+" "+relation) != want {
			t.Errorf("%q names %q, %q, not %q", text, name, relation, want)
		}
	}
}

// lastEntity is the last person whom the memories of a text name; "" when they name nobody.
func lastEntity(text string) (name, relation string) {
	got, _ := New().Extract(talked(text), nil)
	for i := range got {
		for _, e := range got[i].Entities {
			name, relation = e.Name, e.Relation
		}
	}
	return name, relation
}

func TestADistantRelativeCountsAmongTasksOnlyByName(t *testing.T) {
	for text, active := range map[string]bool{
		"Write a birthday wish for my uncle.":     false,
		"Write a birthday wish for my uncle Ned.": true,
		"Write a birthday wish for my wife.":      true,
		"Écris un poème pour mon oncle.":          false,
	} {
		got, _ := New().Extract(said(text), nil)
		is := false
		for i := range got {
			is = is || got[i].Confidence >= activeConfidence
		}
		if is != active {
			t.Errorf("%q: active %v", text, is)
		}
	}
}

func TestWhatIsOverOrOfTheMomentIsNotHad(t *testing.T) {
	for text, want := range map[string]string{
		"How did I cope when my sister passed away?": "",
		"My father's name is Mosad right":            "",
		"Non ho soldi.":                              "",
		"Não tenho com quem conversar.":              "",
	} {
		if got := contents(text); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

package rules

import "testing"

// What an anxiety is about belongs to it, and who tends to something does not try to.
func TestConditionsAndTendenciesKeepTheirMeaning(t *testing.T) {
	for text, want := range map[string]string{
		"I have anxiety about flying.":        "Has anxiety about flying.",
		"I have anxiety. What helps?":         "Has anxiety.",
		"I tend to oversleep on Mondays.":     "Tends to oversleep on Mondays.",
		"I try to cook at home every evening": "Tries to cook at home every evening.",
	} {
		got, _ := New().Extract(talked(text), nil)
		if len(got) != 1 || got[0].Content != want {
			t.Errorf("%q gives %s, want %q", text, list(got), want)
		}
	}
}

// A pet with a name may be somebody else's.
func TestPetsOfOthersAreNotOnesOwn(t *testing.T) {
	for text, want := range map[string]bool{
		"I have two kids and a cat. We also have a beagle named Oskar.": true,
		"My neighbor took in a beagle called Oskar.":                    false,
		"She has a beagle named Oskar.":                                 false,
	} {
		got, _ := New().Extract(talked(text), nil)
		found := false
		for i := range got {
			found = found || got[i].Content == "Has a beagle named Oskar."
		}
		if found != want {
			t.Errorf("%q gives %s", text, list(got))
		}
	}
}

// Who hands out both parts of a scene speaks as a figure; praise is no part.
func TestWhoTakesAPartSaysNothingOfThemselves(t *testing.T) {
	for text, own := range map[string]bool{
		"You are the bank clerk and I am Mr Smith. I have three children.":     false,
		"Du bist der Bankberater und ich bin Herr Busch. Ich habe 3 Kinder.":   false,
		"Tu es le banquier et je suis le client. J'ai trois enfants.":          false,
		"Tú eres el médico y yo soy el paciente. Tengo dos hijos.":             false,
		"Sei il medico e io sono il paziente. Ho due figli.":                   false,
		"Você é o médico e eu sou o paciente. Tenho dois filhos.":              false,
		"Jij bent de dokter en ik ben de patiënt. Ik heb twee kinderen.":       false,
		"You are a lifesaver and I am the mother of two boys. I live in Kiel.": true,
		"You are the best! I'm from Leeds and I'm the mother of two.":          true,
		"Du bist ein Schatz. Ich lebe in Ulm und ich bin die Älteste.":         true,
	} {
		if got, _ := New().Extract(talked(text), nil); len(got) > 0 != own {
			t.Errorf("%q gives %s", text, list(got))
		}
	}
}

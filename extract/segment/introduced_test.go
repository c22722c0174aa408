package segment

import "testing"

func TestWhatALineHandsOverIsNotThePersonsTalk(t *testing.T) {
	body := "I am a nurse and I live in Denver. I have two dogs."
	for head, want := range map[string]Kind{
		"My coworker sent me this:\n":                           Pasted,
		"Copied from a forum:\n\n":                              Pasted,
		"On Mon, Jan 1, 2024 Bob <bob@example.net> wrote:\n":    Pasted,
		"Le lun. 1 janv. 2024, Bob <b@example.net> a écrit :\n": Pasted,
		"Some facts about me:\n":                                Prose,
		"Help me with a letter to my landlord. My story:\n":     Prose,
		"Help me with a letter to my landlord. His letter:\n":   Pasted,
		"About me:\n": Prose,
		"Hobbies:\n":  Prose,
	} {
		text := head + body
		all := Message(text, nil)
		if got := all[len(all)-1]; got.Kind != want || got.End != len(text) {
			t.Errorf("%q: %v, want %v", head, got.Kind, want)
		}
		if all[0].Kind != Prose {
			t.Errorf("%q: the line itself is %v", head, all[0].Kind)
		}
	}
}

package rules

import (
	"slices"
	"strings"
	"testing"
)

// article is a text of two paragraphs in which nobody says I.
var article = strings.Repeat("The glaciers of the region have been shrinking for decades, and researchers have measured a loss of almost a third of the mass since the records began. ", 3) +
	"\n\n" + strings.Repeat("Farmers in the valley remember colder winters, and the water that fed the canals comes earlier in the year. ", 4) + "\n\n"

// TestTheWordsOfOthersAreNoMemories has a trap for each step that cuts a message: without the step
// the trap gives memories.
func TestTheWordsOfOthersAreNoMemories(t *testing.T) {
	for step, traps := range map[string][]string{
		"letters": {
			"What does he want?\n\nDear tenant,\n\nI live in Basel now and I have two dogs. I'm allergic to cats.\n\nKind regards,\nUrs",
			"Querida Ana:\nVivo en Sevilla y tengo dos perros. Trabajo como enfermera.\nUn abrazo,\nMarta\n\n¿qué le respondo?",
			"Sehr geehrte Frau Vogt,\nich wohne in Mainz und habe zwei Katzen. Ich bin Lehrer.\nMit freundlichen Grüßen\nP. Klar\n\nWas will er?",
		},
		"answered": {
			"Create a polite response to the following email, please.\n\nI live in Oslo and I have two dogs. My wife is a nurse.",
			"Write a short reply to this letter: I live in Oslo and I have two dogs. My wife is a nurse.",
		},
		"roles": {
			"You are to be Mia, a harbor pilot with a secret. I'm Ansgar, your neighbor, and I have two dogs. Use dialogue and describe the scene as it unfolds at night.",
			"Vamos a simular un juicio. Yo seré el juez y vivo en León con mis dos hijos.",
		},
		"introduced": {
			"A colleague sent this:\nI have three kids and I hate mornings. I work at Nordwind.",
			"On Monday Ann wrote:\nI'm a vegetarian and I live in Ghent with my husband.",
			"Review by a customer:\nI bought this tent for my two sons. I live in Wales, and I love camping.\nIs it fake?",
		},
		"pasted":     {article + "I have forty cows and I live in Visp, says Beat Imhof. I don't eat meat any more. My wife is a nurse."},
		"quotations": {"A stranger wrote:\n\n\"I live in Kent and I have two dogs.\n\nI am allergic to cats. My wife is a nurse.\"\n\nwhat now"},
		"scripts": {
			"[Verse 1]\nI was born by the river\nI have a broken heart\n[Chorus]\nI live in Memphis\nis this good?",
			"Work Experience\nI managed a team of five at Sample Ltd. I love sales.\nEducation\nI studied law in Leeds.\nwhose cv is better?",
			"ANNA: I live in Vienna and I have a dog.\nBEN: I hate Vienna.\nANNA: My mother is a nurse.\nis this dialogue natural?",
		},
		"foreign heads": {"переведи I live in Boston and I have two brothers. My mother is a doctor and I love chess and hiking."},
	} {
		for _, text := range traps {
			if got := contentsOf(text); len(got) > 0 {
				t.Errorf("%s: %q gives %q", step, text, got)
			}
		}
	}
	own := contentsOf("Some facts about me:\n- I live in Basel\n- I have two dogs")
	if !slices.Contains(own, "Lives in Basel.") || !slices.Contains(own, "Has two dogs.") {
		t.Errorf("what the person says of themselves gives %q", own)
	}
}

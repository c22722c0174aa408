package rules

import (
	"slices"
	"strings"
	"testing"
)

// Words before a colon that only open a message neither hand over what follows them nor report it.
func TestOpeningsOfMessagesSwallowNothing(t *testing.T) {
	for text, want := range map[string]string{
		"Quick question: I live in Leeds. Where do I register?":           "Lives in Leeds.",
		"Kurze Frage: Ich wohne in Ulm. Wo melde ich mich an?":            "Lebt in Ulm.",
		"Hallo, kurze Frage: ich wohne in Ulm. Was gibt es dort?":         "Lebt in Ulm.",
		"Petite question : j'habite à Brest. Où m'inscrire ?":             "Vit à Brest.",
		"Pregunta rápida: vivo en Cádiz. ¿Dónde me empadrono?":            "Vive en Cádiz.",
		"Una pregunta: vivo en Cádiz. ¿Dónde me empadrono?":               "Vive en Cádiz.",
		"Domanda veloce: vivo a Pisa. Dove mi registro?":                  "Vive a Pisa.",
		"Pergunta rápida: moro em Natal. Onde me registro?":               "Mora em Natal.",
		"Korte vraag: ik woon in Gouda. Waar schrijf ik me in?":           "Woont in Gouda.",
		"Быстрый вопрос: я живу в Омске. Где там хороший врач?":           "Живёт в Омске.",
		"快速问题：我住在苏州。哪里可以学游泳？":                                             "住在苏州。",
		"Kürze den Text: Ich wohne in Ulm und sammle dort seltene Uhren.": "",
	} {
		found := false
		got, _ := New().Extract(talked(text), nil)
		for i := range got {
			found = found || got[i].Content == want
			if want == "" {
				t.Errorf("%q gives %q", text, got[i].Content)
			}
		}
		if !found && want != "" {
			t.Errorf("%q gives %s, want %q", text, list(got), want)
		}
	}
}

// An order without its full stop leaves what follows it.
func TestAnOrderEndsBeforeWhatFollows(t *testing.T) {
	got := contentsOf("Always write short answers I have two dogs at home")
	if !slices.Contains(got, "Has two dogs at home.") || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "answers they") }) {
		t.Errorf("gives %q", got)
	}
}

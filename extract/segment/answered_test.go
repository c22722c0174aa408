package segment

import (
	"strings"
	"testing"
)

func TestALetterThatIsToBeAnsweredIsNotThePersons(t *testing.T) {
	for _, text := range []string{
		"What should I reply to this, I am fine with a delay.\nSorry, could you postpone the visit?\n\nI'm moving to Lund in May.",
		"what do i say to this message\nI'm moving to Lund in May.",
		"Que répondre à ce message ?\nSalut, I'm moving to Lund in May.",
		"Was soll ich darauf antworten?\nHallo, I'm moving to Lund in May.",
		"Qué le respondo?\nHola, I'm moving to Lund in May.",
	} {
		if prose := proseOf(text); strings.Contains(prose, "Lund") {
			t.Errorf("%q leaves %q", text, prose)
		}
	}
	for _, text := range []string{"I'm moving to Lund. What should I reply if they ask why?", "How can I respond better to stress? I'm moving to Lund."} {
		if prose := proseOf(text); !strings.Contains(prose, "Lund") {
			t.Errorf("%q leaves %q", text, prose)
		}
	}
}

// proseOf joins what of a message is the person's own.
func proseOf(text string) string {
	var b strings.Builder
	for _, s := range Message(text, nil) {
		if s.Kind == Prose {
			b.WriteString(text[s.Start:s.End])
		}
	}
	return b.String()
}

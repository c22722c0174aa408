package rules

import "testing"

func TestAnOrderIsKeptWhole(t *testing.T) {
	for text, want := range map[string]string{
		"From now on, answer the mails my boss sends with one line.": "From now on: answer the mails their boss sends with one line.",
		"From now on, answer the questions I ask with yes or no.":    "From now on: answer the questions they ask with yes or no.",
	} {
		if got := contents(text); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestAGameThatIsProposedIsAPlay(t *testing.T) {
	for _, text := range []string{"Давай сыграем в симулятор. Я князь, и мой сын болен.", "Я хочу отыграть за Киев. Мой сын болен."} {
		if got := contents(text); got != "" {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

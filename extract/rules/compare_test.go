package rules

import (
	"testing"

	"github.com/pamline/pamline/normalize"
)

// value is that of the only slot with an attribute.
func value(t *testing.T, text, attribute string) string {
	t.Helper()
	got, _ := New().Extract(said(text), nil)
	for i := range got {
		if got[i].Slot != nil && got[i].Slot.Attribute == attribute {
			return got[i].Slot.Value
		}
	}
	t.Fatalf("%q gives no %s but %s", text, attribute, list(got))
	return ""
}

func TestSlotsOfTheSameThingMeet(t *testing.T) {
	for _, c := range []struct{ attribute, one, other string }{
		{"allergy", "I have a hazelnut allergy.", "I'm allergic to hazelnuts."},
		{"likes", "I love old stories.", "I hate an old story."},
		{"favorite.color", "My favourite colour is teal.", "My favorite color is teal."},
	} {
		if a, b := value(t, c.one, c.attribute), value(t, c.other, c.attribute); a != b {
			t.Errorf("%s: %q of %q, %q of %q", c.attribute, a, c.one, b, c.other)
		}
	}
}

func TestWhatIsTakenBackIsNotStatedToo(t *testing.T) {
	for _, text := range []string{"I sold my car.", "I sold my car last week.", "I gave away my dog.", "I no longer have a cat.", "I don't own a boat anymore."} {
		got, _ := New().Extract(said(text), nil)
		for i := range got {
			if got[i].Act != normalize.ActRetract && !got[i].Event {
				t.Errorf("%q gives %s", text, list(got))
			}
		}
		if len(got) != 1 || len(got[0].Ends) == 0 {
			t.Errorf("%q ends nothing: %s", text, list(got))
		}
	}
}

func TestAFaintStatementGoesBesideASolidOne(t *testing.T) {
	for text, want := range map[string]string{
		"I bought something for them. I live in Lund.": "[identity.residence: Lives in Lund.]",
		"I live in Lund. I am trying new things.":      "[identity.residence: Lives in Lund.]",
		"I walk my dog every day.":                     "[fact.habit: Walks their dog every day.]",
	} {
		if got, _ := New().Extract(said(text), nil); list(got) != want {
			t.Errorf("%q gives %s, not %s", text, list(got), want)
		}
	}
	if got, _ := New().Extract(said("I bought people a new lamp."), nil); len(got) != 1 {
		t.Errorf("a faint statement alone gives %s", list(got))
	}
}

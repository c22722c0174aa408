package rules

import (
	"slices"
	"testing"
)

func contentsOf(text string) []string {
	got, _ := New().Extract(talked(text), nil)
	var all []string
	for i := range got {
		all = append(all, got[i].Content)
	}
	return all
}

// wantContents wants each text to give a content, among others.
func wantContents(t *testing.T, wanted map[string]string) {
	t.Helper()
	for text, want := range wanted {
		if got := contentsOf(text); !slices.Contains(got, want) {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestWhatIsStatedBeforeAQuestionOfItsOwnIsNotAsked(t *testing.T) {
	for text, want := range map[string]string{
		"I am 46 how about you?":            "Is 46 years old.",
		"I paint boats and you?":            "Paints boats.",
		"I love polenta is it any good?":    "Loves polenta.",
		"Ich habe zwei Katzen und du?":      "Hat zwei Katzen.",
		"J'ai deux chats et toi ?":          "A deux chats.",
		"Tengo dos gatos y tú?":             "Tiene dos gatos.",
		"Am I a nurse or what do you think": "",
		"Do I live in Rome?":                "",
	} {
		got := contentsOf(text)
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

// TestATimeThatComesAgainIsNoDate reads what was said on Wednesday, May 1, 2024.
func TestATimeThatComesAgainIsNoDate(t *testing.T) {
	wantContents(t, map[string]string{
		"I go to a Quaker meeting every Sunday.":            "Goes to a Quaker meeting every Sunday.",
		"I read about twenty novels in a year.":             "Read about twenty novels in a year.",
		"Ich gehe jeden Sonntag in die Sauna.":              "Geht jeden Sonntag in die Sauna.",
		"Yo corro cada lunes por el parque con mi hermana.": "Corre cada lunes por el parque con su hermana.",
	})
}

func TestWordsThatOnlySoundLikeAFactGiveNone(t *testing.T) {
	for _, text := range []string{
		"My husband is gone a lot, what should I cook?",
		"I got rid of the rust and I got caught in the rain",
		"I have a little time before the film",
		"She was kind and loved people",
		"I have totally agree with that plan",

		"I'm fantastic, thanks",
		"I was thinking about getting one",
	} {
		for _, content := range contentsOf(text) {
			switch content {
			case "Has a husband.":
			default:
				t.Errorf("%q gives %q", text, content)
			}
		}
	}
}

func TestADraftInQuotationMarksIsNotTheWordsOfOthers(t *testing.T) {
	got := contentsOf("please improve my bio: “I grew up on a barge in Ghent. I teach carpentry to children on weekends, and I finished my apprenticeship in Namur.”")
	for _, want := range []string{"Grew up on a barge in Ghent.", "Finished their apprenticeship in Namur."} {
		if !slices.Contains(got, want) {
			t.Errorf("the draft gives %q, not %q", got, want)
		}
	}
	if got := contentsOf("My boss said “I grew up on a barge in Ghent. I teach carpentry to children on weekends.” Funny."); len(got) > 0 {
		t.Errorf("what the boss said gives %q", got)
	}
}

func TestWishesAndHopesArePlans(t *testing.T) {
	for text, want := range map[string]string{
		"I hope to open a bakery.":                       "Wants to open a bakery.",
		"I wish I could play the oboe.":                  "Wishes they could play the oboe.",
		"I'd say I like goat cheese more than I should.": "Likes goat cheese more than they should.",
	} {
		got := contentsOf(text)
		if want != "" && !slices.Contains(got, want) {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

// TestTimesFitWhatTheyDate reads what was said on Wednesday, May 1, 2024.
func TestTimesFitWhatTheyDate(t *testing.T) {
	wantContents(t, map[string]string{
		"I worked as a designer for five years.":         "Worked as a designer for five years.",
		"I moved to Lund at the beginning of this year.": "Lives in Lund.",
		"I visited Crete at the beginning of last year.": "Visited Crete in 2023.",
		"I've been a potter for five years.":             "Has been a potter since 2019.",
		"I am going to study in Lund for four years.":    "Wants to study in Lund for four years.",
	})
}

func TestWhatIsToBeRememberedIsOfThePerson(t *testing.T) {
	for text, want := range map[string]string{
		"Remember that my cat is called Tom.":                       "Has a cat named Tom.",
		"Please remember that I sail on Sundays.":                   "Sails on Sundays.",
		"Note that Gigi is free on Thursday.":                       "",
		"Remember that consistency is the key to good bread.":       "",
		"Merk dir, dass ich in Lund wohne.":                         "Lebt in Lund.",
		"Recuerda que vivo en León.":                                "Vive en León.",
		"I'm a language model that was trained on text by others.":  "",
		"I work on it. The work environment of the office is nice.": "",
	} {
		got := contentsOf(text)
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestAFillerIsNoPartOfWhatIsTold(t *testing.T) {
	wantContents(t, map[string]string{"btw rust is my favorite language.": "Favorite language is rust."})
}

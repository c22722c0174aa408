package segment

import (
	"slices"
	"strings"
	"testing"
)

func sentencesOf(text string) []string {
	var out []string
	for s := range Sentences(text, 0, len(text)) {
		out = append(out, text[s.Start:s.End])
	}
	return out
}

func TestSentencesEndWhereAReaderEndsThem(t *testing.T) {
	for name, want := range map[string][]string{
		"full stops":               {"I live in Rome.", "I work at home."},
		"lower case":               {"i have a dog.", "his name is rex.", "he is old"},
		"questions and calls":      {"Really?!", "I am a nurse!", "And you?"},
		"abbreviations":            {"I saw Dr. Sample at 5 p.m. with Mrs. Winter, e.g. in the park.", "It rained."},
		"abbreviation at the end":  {"I get up at 5 a.m.", "My wife sleeps."},
		"initials":                 {"I like J. R. Sample a lot.", "So do I.", "Yes."},
		"decimals":                 {"It costs 3.50 and weighs 1.2 kg.", "I am 25.", "You?"},
		"mail and links":           {"Write to a.b@example.org or see https://example.org/a.b?c=d for it.", "I wait."},
		"names of files":           {"I edit main.go and its tests.", "Daily."},
		"no blank behind the stop": {"I am a baker.", "I live in Kent."},
		"ellipsis inside":          {"I thought... maybe not.", "Well…", "I did."},
		"ellipsis at the end":      {"I was so tired...", "Then I slept."},
		"quotes behind the stop":   {`He said "no."`, "I left.)", "Fine."},
		"german":                   {"Ich wurde am 3. Mai geboren, z. B. wie mein Bruder.", "Er heißt Max."},
		"french":                   {"M. Durand habite ici.", "J'ai 30 ans !", "Et toi ?"},
		"spanish":                  {"El Sr. Muestra vive aquí.", "¿Y tú?", "Yo también."},
		"chinese":                  {"我住在北京。", "我有一只猫！"},
		"japanese":                 {"私は猫が好きです。", "はい？"},
		"hindi":                    {"मैं दिल्ली में रहता हूँ।", "हाँ।"},
	} {
		sep := " "
		switch name {
		case "no blank behind the stop", "chinese", "japanese":
			sep = ""
		}
		if got := sentencesOf(strings.Join(want, sep)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestLinesAndBulletsDivideSentences(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"I am 40\nI live in Oslo\n\nmy cat is old", []string{"I am 40", "I live in Oslo", "my cat is old"}},
		{"- I ski\n* I row\n• I swim\n2) I run\n3. I rest", []string{"I ski", "I row", "I swim", "I run", "I rest"}},
		{"  \n\t I wait  \n ", []string{"I wait"}},
		{"I have lived in this small town near the coast for more than\nten years now and I like it", []string{"I have lived in this small town near the coast for more than\nten years now and I like it"}},
		{"I have lived in this small town near the coast for ten years\nI like it", []string{"I have lived in this small town near the coast for ten years", "I like it"}},
		{"", nil},
		{" \n ", nil},
	} {
		if got := sentencesOf(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestSentencesStayInTheirRange(t *testing.T) {
	text := "One. Two. Three."
	var got []string
	for s := range Sentences(text, 5, 9) {
		got = append(got, text[s.Start:s.End])
	}
	if !slices.Equal(got, []string{"Two."}) {
		t.Errorf("got %q", got)
	}
	for range Sentences(text, -3, 99) {
		return // leaving early is allowed, and so is a range beyond the text
	}
	t.Error("no sentence in a range that holds the text")
}

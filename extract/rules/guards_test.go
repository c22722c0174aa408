package rules

import "testing"

// TestGuardsOfChanges names for each guard what it drops, and near it what is a change.
func TestGuardsOfChanges(t *testing.T) {
	x := New()
	for _, c := range []struct{ text, code, change string }{
		{"In Skyrim I married Lydia.", "imagined", "I married Lydia."},
		{"I dreamed of the sea. I moved to Rome.", "imagined", "I dreamed of the sea.\nI moved to Rome."},
		{"Mein Vater hat mit dem Rauchen aufgehört.", "other", "Ich habe mit dem Rauchen aufgehört."},
		{"Mon coiffeur est à la retraite.", "other", "Je suis enfin à la retraite depuis mars."},
		{"Моя фирма переехала в Казань.", "other", "Из-за фирмы я переехал в Казань."},
		{"My dad died of laughter.", "figure", "My dad died of cancer."},
		{"Ho perso mia moglie al supermercato.", "figure", "Ho perso mia moglie a Natale."},
		{"Meine Frau ist aus dem Kino gegangen.", "figure", "Meine Frau ist vor zehn Monaten gestorben."},
		{"I lost my husband in the maze.", "figure", "I lost my husband in a car accident."},
		{"I stopped drinking coffee an hour ago.", "hours", "I stopped drinking coffee a year ago."},
		{"I moved to cell B4.", "kind", "I moved to Berlin."},
		{"I got promoted to editor of the wiki.", "kind", "I got promoted to editor."},
		{"I married two concepts.", "kind", "I married my boyfriend."},
		{"Rompí con el azúcar.", "kind", "Rompí con Ana."},
		{"We broke up the meeting.", "cut", "We broke up last week."},
		{"I had a baby carrot.", "cut", "I had a baby yesterday."},
		{"Me formei no tutorial do Duolingo.", "cut", "Me formei em março."},
	} {
		got, report := x.Extract(talked(c.text), nil)
		for i := range got {
			if got[i].Event || got[i].Confidence >= changeConfidence {
				t.Errorf("%q gives %s", c.text, listEnds(got))
			}
		}
		if report.Skipped[c.code] == 0 {
			t.Errorf("%q is not passed over as %s but as %v", c.text, c.code, report.Skipped)
		}
		got, report = x.Extract(talked(c.change), nil)
		told := false
		for i := range got {
			told = told || got[i].Confidence >= changeConfidence
		}
		if !told {
			t.Errorf("%q gives %s; passed over: %v", c.change, listEnds(got), report.Skipped)
		}
	}
}

// TestWordsThatNameMuchEndNothing keeps what has a common noun in its name.
func TestWordsThatNameMuchEndNothing(t *testing.T) {
	x := New()
	for _, text := range []string{
		"I gave up my desk.", "Ich habe das Auto abgegeben.", "J'ai quitté la maison.", "Ho perso il telefono.", "Perdí la voz.", "Cancelei o pedido.",
	} {
		got, _ := x.Extract(talked(text), nil)
		for i := range got {
			if len(got[i].Ends) > 0 {
				t.Errorf("%q gives %s", text, listEnds(got))
			}
		}
	}
}

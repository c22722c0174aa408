package rules

import (
	"testing"

	"github.com/pamline/pamline/normalize"
)

// spoken are the languages that there is a table of.
var spoken = []string{"en", "fr", "it", "es", "pt", "de"}

// fact is one thing, told in every language. Whatever the language, it is of one type and in one
// slot.
type fact struct {
	kind, attribute string
	said            map[string]string
}

var facts = []fact{
	{"identity", "name", map[string]string{
		"en": "My name is Anna.", "fr": "Je m'appelle Anna.", "it": "Mi chiamo Anna.", "es": "Me llamo Anna.", "pt": "Eu me chamo Anna.", "de": "Ich heiße Anna."}},
	{"identity", "age", map[string]string{
		"en": "I am 34 years old.", "fr": "J'ai 34 ans.", "it": "Ho 34 anni.", "es": "Tengo 34 años.", "pt": "Tenho 34 anos.", "de": "Ich bin 34 Jahre alt."}},
	{"identity", "residence", map[string]string{
		"en": "I live in Lisbon.", "fr": "J'habite à Lisbonne.", "it": "Abito a Lisbona.", "es": "Vivo en Lisboa.", "pt": "Eu moro em Lisboa.", "de": "Ich wohne in Lissabon."}},
	{"identity", "origin", map[string]string{
		"en": "I come from Norway.", "fr": "Je viens de Norvège.", "it": "Vengo dalla Norvegia.", "es": "Soy de Noruega.", "pt": "Eu sou da Noruega.", "de": "Ich komme aus Norwegen."}},
	{"fact", "job", map[string]string{
		"en": "I work as a nurse.", "fr": "Je travaille comme infirmière.", "it": "Lavoro come infermiera.", "es": "Trabajo como enfermera.", "pt": "Trabalho como enfermeira.", "de": "Ich arbeite als Krankenschwester."}},
	{"fact", "employer", map[string]string{
		"en": "I work for Siemens.", "fr": "Je travaille chez Siemens.", "it": "Lavoro per Siemens.", "es": "Trabajo para Siemens.", "pt": "Trabalho na Siemens.", "de": "Ich arbeite bei Siemens."}},
	{"fact", "study", map[string]string{
		"en": "I study medicine.", "fr": "J'étudie la médecine.", "it": "Studio medicina.", "es": "Estudio medicina.", "pt": "Estudo medicina.", "de": "Ich studiere Medizin."}},
	{"fact", "marital_status", map[string]string{
		"en": "I am married.", "fr": "Je suis mariée.", "it": "Sono sposata.", "es": "Estoy casada.", "pt": "Sou casada.", "de": "Ich bin verheiratet."}},
	{"fact", "diet", map[string]string{
		"en": "I am vegetarian.", "fr": "Je suis végétarienne.", "it": "Sono vegetariana.", "es": "Soy vegetariana.", "pt": "Sou vegetariana.", "de": "Ich bin Vegetarierin."}},
	{"fact", "allergy", map[string]string{
		"en": "I am allergic to peanuts.", "fr": "Je suis allergique aux cacahuètes.", "it": "Sono allergica alle arachidi.", "es": "Soy alérgica a los cacahuetes.", "pt": "Sou alérgica a amendoim.", "de": "Ich habe eine Erdnussallergie."}},
	{"fact", "pet", map[string]string{
		"en": "I have two dogs.", "fr": "J'ai deux chiens.", "it": "Ho due cani.", "es": "Tengo dos perros.", "pt": "Tenho dois cachorros.", "de": "Ich habe zwei Hunde."}},
	{"relationship", "pet.name", map[string]string{
		"en": "My dog is called Rex.", "fr": "Mon chien s'appelle Rex.", "it": "Il mio cane si chiama Rex.", "es": "Mi perro se llama Rex.", "pt": "Meu cachorro se chama Rex.", "de": "Mein Hund heißt Rex."}},
	{"relationship", "relative.sister", map[string]string{
		"en": "I have a sister.", "fr": "J'ai une sœur.", "it": "Ho una sorella.", "es": "Tengo una hermana.", "pt": "Tenho uma irmã.", "de": "Ich habe eine Schwester."}},
	{"preference", "likes", map[string]string{
		"en": "I like jazz.", "fr": "J'aime le jazz.", "it": "Mi piace il jazz.", "es": "Me gusta el jazz.", "pt": "Eu gosto de jazz.", "de": "Ich mag Jazz."}},
	{"preference", "favorite.color", map[string]string{
		"en": "My favorite color is green.", "fr": "Ma couleur préférée est le vert.", "it": "Il mio colore preferito è il verde.", "es": "Mi color favorito es el verde.", "pt": "Minha cor favorita é verde.", "de": "Meine Lieblingsfarbe ist Grün."}},
	{"preference", "hobby", map[string]string{
		"en": "My hobby is knitting.", "fr": "Mon hobby est le tricot.", "it": "Il mio hobby è il cucito.", "es": "Mi afición es la costura.", "pt": "Meu hobby é costura.", "de": "Mein Hobby ist Nähen."}},
	{"skill", "language", map[string]string{
		"en": "I speak Italian.", "fr": "Je parle italien.", "it": "Parlo spagnolo.", "es": "Hablo italiano.", "pt": "Eu falo italiano.", "de": "Ich spreche Italienisch."}},
	{"skill", "plays", map[string]string{
		"en": "I play the piano.", "fr": "Je joue du piano.", "it": "Suono il pianoforte.", "es": "Toco el piano.", "pt": "Eu toco piano.", "de": "Ich spiele Klavier."}},
	{"goal", "goal", map[string]string{
		"en": "My goal is to become a lawyer.", "fr": "Mon objectif est de devenir avocat.", "it": "Il mio obiettivo è diventare avvocato.", "es": "Mi objetivo es ser abogado.", "pt": "Meu objetivo é me tornar advogado.", "de": "Mein Ziel ist es, Anwalt zu werden."}},
	{"environment", "uses.os", map[string]string{
		"en": "I use Linux.", "fr": "J'utilise Linux.", "it": "Uso Linux sul mio portatile.", "es": "Uso Linux en mi portátil.", "pt": "Eu uso Linux.", "de": "Ich benutze Linux."}},
}

// TestAFactIsTheSameInEveryLanguage holds the tables together: what is said in another language
// still meets what is told of the same thing, because type and slot are the same.
func TestAFactIsTheSameInEveryLanguage(t *testing.T) {
	x := New()
	for _, f := range facts {
		for _, language := range spoken {
			t.Run(f.attribute+"/"+language, func(t *testing.T) {
				got, report := x.Extract(said(f.said[language]), nil)
				for i := range got {
					c := &got[i]
					if c.Language == language && c.Type == f.kind && c.Act == "" && c.Slot != nil && c.Slot.Attribute == f.attribute && c.Slot.Value != "" {
						return
					}
				}
				t.Errorf("%q gives no %s of %s in %s but %s; passed over: %v", f.said[language], f.kind, f.attribute, language, slots(got), report.Skipped)
			})
		}
	}
}

// TestEveryFactHasEveryLanguage finds a sentence that was forgotten above.
func TestEveryFactHasEveryLanguage(t *testing.T) {
	names, err := tableNames()
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != len(spoken) {
		t.Errorf("there are %d tables, but %d languages are compared", len(names), len(spoken))
	}
	for _, f := range facts {
		for _, language := range spoken {
			if f.said[language] == "" {
				t.Errorf("%s is not said in %s", f.attribute, language)
			}
		}
	}
}

// wordings are five facts, each in three wordings that say the same.
var wordings = map[string][][3]string{
	"en": {
		{"I live in Berlin.", "I'm based in Berlin.", "I reside in Berlin."},
		{"I like jazz.", "I love jazz.", "I really enjoy jazz."},
		{"My favorite color is green.", "Green is my favorite color.", "My favourite color is green."},
		{"I work as a nurse.", "I'm a nurse.", "I am a nurse by profession."},
		{"I'm allergic to peanuts.", "I am allergic to peanuts.", "I am very allergic to peanuts."},
	},
	"fr": {
		{"J'habite à Lyon.", "Je vis à Lyon.", "Je réside à Lyon."},
		{"J'aime le jazz.", "J'adore le jazz.", "J'aime beaucoup le jazz."},
		{"Ma couleur préférée est le vert.", "Le vert est ma couleur préférée.", "Ma couleur favorite est le vert."},
		{"Je travaille comme infirmière.", "Je suis infirmière.", "Je suis infirmière de profession."},
		{"J'ai 34 ans.", "J'ai trente-quatre ans.", "Moi j'ai 34 ans."},
	},
	"it": {
		{"Abito a Torino.", "Io vivo a Torino.", "Io abito a Torino."},
		{"Mi piace il jazz.", "Amo il jazz.", "Adoro il jazz."},
		{"Il mio colore preferito è il verde.", "Il verde è il mio colore preferito.", "Il mio colore preferito è verde."},
		{"Lavoro come infermiera.", "Faccio l'infermiera.", "Sono infermiera."},
		{"Mi chiamo Anna.", "Il mio nome è Anna.", "Io mi chiamo Anna."},
	},
	"es": {
		{"Vivo en Sevilla.", "Resido en Sevilla.", "Yo vivo en Sevilla."},
		{"Me gusta el jazz.", "Me encanta el jazz.", "Adoro el jazz."},
		{"Mi color favorito es el verde.", "El verde es mi color favorito.", "Mi color preferido es el verde."},
		{"Trabajo como enfermera.", "Trabajo de enfermera.", "Soy enfermera."},
		{"Me llamo Anna.", "Mi nombre es Anna.", "Yo me llamo Anna."},
	},
	"pt": {
		{"Moro em Coimbra.", "Vivo em Coimbra.", "Eu moro em Coimbra."},
		{"Gosto de jazz.", "Eu adoro jazz.", "Eu amo jazz."},
		{"Minha cor favorita é verde.", "Verde é minha cor favorita.", "A minha cor preferida é verde."},
		{"Trabalho como enfermeira.", "Eu trabalho como enfermeira.", "Sou enfermeira."},
		{"Meu nome é Anna.", "Eu me chamo Anna.", "Chamo-me Anna."},
	},
	"de": {
		{"Ich wohne in Kiel.", "Ich lebe in Kiel.", "Seit drei Jahren wohne ich in Kiel."},
		{"Ich mag Jazz.", "Ich liebe Jazz.", "Mir gefällt Jazz."},
		{"Meine Lieblingsfarbe ist Grün.", "Grün ist meine Lieblingsfarbe.", "Meine Lieblingsfarbe ist übrigens Grün."},
		{"Ich arbeite als Lehrerin.", "Ich bin Lehrerin.", "Von Beruf bin ich Lehrerin."},
		{"Ich bin Vegetarier.", "Ich ernähre mich vegetarisch.", "Ich lebe seit Jahren vegetarisch."},
	},
}

// TestWordingsOfAFactMeet says each fact in three ways: the resolver makes one memory of them, for
// they meet in their content or in the value of their slot.
func TestWordingsOfAFactMeet(t *testing.T) {
	x := New()
	for _, language := range spoken {
		t.Run(language, func(t *testing.T) {
			if len(wordings[language]) != 5 {
				t.Fatalf("there are %d facts, not 5", len(wordings[language]))
			}
			for _, w := range wordings[language] {
				first, _ := x.Extract(said(w[0]), nil)
				if len(first) == 0 {
					t.Errorf("%q gives nothing", w[0])
				}
				for _, other := range w[1:] {
					if got, _ := x.Extract(said(other), nil); !meet(first, got) {
						t.Errorf("%q gives %s, but %q gives %s", w[0], slots(first), other, slots(got))
					}
				}
			}
		})
	}
}

func meet(a, b []normalize.Candidate) bool {
	for i := range a {
		for j := range b {
			p, q := &a[i], &b[j]
			if p.Type != q.Type || p.Act != q.Act || p.Negative != q.Negative {
				continue
			}
			if p.Content == q.Content || p.Slot != nil && q.Slot != nil && p.Slot.Attribute == q.Slot.Attribute && p.Slot.Value == q.Slot.Value {
				return true
			}
		}
	}
	return false
}

// slots lists candidates with what the comparisons look at.
func slots(all []normalize.Candidate) string {
	s := ""
	for i := range all {
		c := &all[i]
		s += "[" + c.Language + " " + c.Type
		if c.Slot != nil {
			s += " " + c.Slot.Attribute + "=" + c.Slot.Value
		}
		s += ": " + c.Content + "]"
	}
	if s == "" {
		return "nothing"
	}
	return s
}

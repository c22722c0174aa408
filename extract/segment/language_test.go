package segment

import (
	"strings"
	"testing"
)

func TestLanguageOfShortTexts(t *testing.T) {
	for text, want := range map[string]string{
		"I moved to Leeds because of my job.":           "en",
		"im not sure what i want for dinner":            "en",
		"Vivo con mi hermana y trabajo en un banco.":    "es",
		"¿Puedes ayudarme con mi tarea?":                "es",
		"Moro no Porto e não gosto de peixe.":           "pt",
		"você pode me ajudar com a lição?":              "pt",
		"J’habite à Lyon et j'aime le vélo.":            "fr",
		"je suis infirmière depuis dix ans":             "fr",
		"Ich wohne in Bremen und habe zwei Kinder.":     "de",
		"kannst du mir bitte helfen":                    "de",
		"Abito a Torino e mi piace molto cucinare.":     "it",
		"sono un insegnante di scuola":                  "it",
		"Ik woon in Utrecht en heb een hond.":           "nl",
		"Mieszkam w Krakowie i nie lubię zimy.":         "pl",
		"Jag bor i Lund och har inte tid.":              "sv",
		"Ben Ankara'da yaşıyorum ve çok çalışıyorum.":   "tr",
		"Я живу в Казани и люблю чай.":                  "ru",
		"Я живу у Києві і люблю її вірші, мій її кіт є": "uk",
		"我住在北京，喜欢喝茶。":                                   "zh",
		"私は東京に住んでいます。":                                  "ja",
		"저는 서울에 살아요.":                                   "ko",
		"أنا أعيش في القاهرة":                           "ar",
		"من در تهران زندگی میکنم و چای میخورم":          "fa",
		"Ζω στην Αθήνα":                                 "el",
		"मैं दिल्ली में रहता हूँ":                       "hi",
		"ok":           "",
		"12345 --- !!": "",
		"":             "",
	} {
		if got := Language(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestVoteWeighsTextsByTheirLetters(t *testing.T) {
	var v Vote
	if v.Winner() != "" {
		t.Error("a winner without votes")
	}
	v.Add("thanks a lot")
	v.Add("Ich wohne seit drei Jahren in einer kleinen Stadt und arbeite in einer Bäckerei.")
	v.Add("ok")
	if got := v.Winner(); got != "de" {
		t.Errorf("got %q, want de", got)
	}
	// One endless text does not outvote a conversation.
	v = Vote{}
	v.Add(strings.Repeat("the house is on the hill and the dog is in the garden ", 2000))
	for range 60 {
		v.Add("Ich wohne seit drei Jahren in einer kleinen Stadt und arbeite in einer Bäckerei.")
	}
	if got := v.Winner(); got != "de" {
		t.Errorf("got %q, want de", got)
	}
}

func TestVoteDoesNotDependOnOrder(t *testing.T) {
	texts := []string{"I live in Rome and my job is good", "vivo con mi hermana en la ciudad", "我住在北京，喜欢喝茶。", "je ne sais pas"}
	var forth, back Vote
	for i := range texts {
		forth.Add(texts[i])
		back.Add(texts[len(texts)-1-i])
	}
	if forth.Winner() != back.Winner() || forth.Winner() == "" {
		t.Errorf("%q and %q", forth.Winner(), back.Winner())
	}
}

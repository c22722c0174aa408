package rules

import (
	"strings"
	"testing"
)

// How often something is done is said in the clause or at its end, and counts there, too.
func TestFrequencyIsReadAroundAMatch(t *testing.T) {
	for text, want := range map[string]string{
		"I take the ferry.":                            "",
		"I take the ferry every Monday.":               "Takes the ferry every Monday.",
		"I take the ferry all the time.":               "Takes the ferry.",
		"On most weekends I take the ferry.":           "Takes the ferry.",
		"I row every day and I take the ferry.":        "Rows every day.",
		"Every day was hard because I take the ferry.": "",
	} {
		if got := strings.Join(contentsOf(text), " "); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

// Among tasks a habit counts in every language where the person says how often.
func TestHabitsWithAFrequencyCountAmongTasks(t *testing.T) {
	orders := map[string]string{
		"de": "Schreibe eine Gliederung für einen Vortrag über Vulkane.", "fr": "Rédige un plan d'exposé sur les volcans.",
		"es": "Escribe un esquema para una charla sobre volcanes.", "it": "Scrivi una scaletta per una relazione sui vulcani.",
		"pt": "Escreva um roteiro de palestra sobre vulcões.", "ru": "Напиши план доклада о вулканах.", "zh": "请写一份关于火山的报告提纲。",
	}
	for _, c := range []struct{ language, text, want string }{
		{"de", "Ich rudere zweimal die Woche auf dem See. Gib mir einen Titel.", "Rudert zweimal die Woche auf dem See."},
		{"de", "Ich rudere auf dem See. Gib mir einen Titel.", ""},
		{"de", "Abends lese ich Krimis. Schreib mir eine Liste.", "Liest abends Krimis."},
		{"fr", "Je nage tous les mardis. Fais-moi un plan.", "Nage tous les mardis."},
		{"fr", "Je nage dans le lac. Fais-moi un plan.", ""},
		{"es", "Nado cuatro veces por semana. Hazme un plan.", "Nada cuatro veces por semana."},
		{"es", "Todos los domingos cocino para mi tía.", "Cocina para su tía."},
		{"es", "Nado en el lago. Hazme un plan.", ""},
		{"it", "Nuoto due volte alla settimana. Fammi un piano.", "Nuota due volte alla settimana."},
		{"it", "Nuoto nel lago. Fammi un piano.", ""},
		{"pt", "Nado duas vezes por semana. Faça um plano.", "Nada duas vezes por semana."},
		{"pt", "Nado no lago. Faça um plano.", ""},
		{"it", "Scrivo ogni paragrafo al presente.", ""},
		{"es", "Escribo cada párrafo en presente.", ""},
		{"ru", "По вечерам читаю детективы. Составь план.", "Читает детективы."},
		{"ru", "Читаю детективы. Составь план.", ""},
		{"zh", "我每个星期六给奶奶做饭。帮我做个计划。", "每个星期六给奶奶做饭。"},
		{"zh", "我给奶奶做饭。帮我做个计划。", ""},
	} {
		got, _ := New().Extract(talked(orders[c.language], "ok", c.text), nil)
		var active []string
		for i := range got {
			if got[i].Confidence >= activeConfidence && got[i].Type != "relationship" {
				active = append(active, got[i].Content)
			}
		}
		if strings.Join(active, " ") != c.want {
			t.Errorf("%s: %q gives %q, not %q", c.language, c.text, active, c.want)
		}
	}
}

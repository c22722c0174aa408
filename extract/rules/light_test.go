package rules

import (
	"strings"
	"testing"
)

func TestLightVerbsAreReadOver(t *testing.T) {
	for text, want := range map[string]string{
		"We ended up selling the canoe.":                        "owns=canoe",
		"I had to quit my job at Hooli.":                        "employer=hooli",
		"I finally managed to quit my job at Hooli.":            "employer=hooli",
		"I went ahead and sold the canoe.":                      "owns=canoe",
		"Tuve que vender la moto.":                              "owns=moto",
		"Acabei vendendo a moto.":                               "owns=moto",
		"J'ai dû arrêter le piano.":                             "plays=piano",
		"Ho dovuto vendere la moto.":                            "owns=moto",
		"I have to sell the canoe.":                             "",
		"My boss told me that I would have had to sell the dog": "",
	} {
		got, _ := New().Extract(talked(text), nil)
		found := ""
		for i := range got {
			for _, e := range got[i].Ends {
				for _, name := range []string{e.Value, e.Name} {
					if s := e.Attribute + "=" + name; s == want && name != "" {
						found = s
					}
				}
			}
			if want == "" && len(got[i].Ends) > 0 {
				found = got[i].Rule + " " + strings.TrimSpace(got[i].Content)
			}
		}
		if found != want {
			t.Errorf("%q ends %q, not %q", text, found, want)
		}
	}
}

func TestNamesInSmallLettersStandBeforeWhatIsDone(t *testing.T) {
	for text, want := range map[string]string{
		"my boyfriend luis moved to a new flat, how do we split bills": "Luis",
		"my sister anna and i want to travel to italy":                 "Anna",
		"my brother snores a lot what can i do":                        "",
		"my boyfriend luis does FEA and moved to a new flat":           "Luis",
	} {
		if name, _ := lastEntity(text); name != want {
			t.Errorf("%q names %q, not %q", text, name, want)
		}
	}
}

package rules

import "testing"

func TestAFamilyIsWorthTheSameInEveryLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it reads all tables, and no two goroutines take part")
	}
	names, err := tableNames()
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]worth{}
	for _, name := range names {
		src, err := readTable(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range src.Families {
			f := &src.Families[i]
			w := worth{f.Type, f.Confidence, f.Chats, f.Open}
			if other, ok := first[src.Language+" "+f.Name]; ok && other != w {
				t.Errorf("%s: %s is worth %+v and %+v", src.Language, f.Name, other, w)
			}
			if other, ok := first[f.Name]; ok && other != w {
				t.Errorf("%s of %s is worth %+v, elsewhere %+v: calibration.yaml has no such family", f.Name, src.Language, w, other)
			}
			first[f.Name] = w
		}
	}
}

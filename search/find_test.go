package search

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pamline/pamline/pamio"
)

// library are conversations and memories of many scripts, with what should be found first.
func library(t *testing.T) (*Index, *pamio.Bundle) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "b")
	talks := []talk{
		{title: "Dinner for eight", day: "2024-03-05", says: [][2]string{
			{"user", "Plan a dinner. One guest has a walnut allergy, so no pesto from a shop."},
			{"assistant", "A risotto works. Avoid walnut oil in the dressing, and mention the allergy to the others."},
		}, files: []string{"guest list final.pdf"}},
		{title: "Carpentry", day: "2023-05-01", platform: "claude", says: [][2]string{
			{"user", "Is walnut a good wood for a table?"}, {"assistant", "Walnut is stable and dark. It is a classic wood for a table top, and it takes oil well."},
		}},
		{title: "Pollen season", day: "2024-04-11", says: [][2]string{{"user", "My allergies are terrible in April."}, {"assistant", "Birch pollen peaks then."}}},
		{title: "旅行の計画", day: "2024-06-01", says: [][2]string{{"user", "京都で静かな旅館を探しています。"}, {"assistant", "嵐山の旅館がおすすめです。"}}},
		{title: "过敏问题", day: "2024-07-01", says: [][2]string{{"user", "我对核桃过敏,可以吃杏仁吗?"}, {"assistant", "杏仁一般没有问题。"}}},
		{title: "Рецепт борща", day: "2024-08-01", platform: "gemini", says: [][2]string{{"user", "Сколько свёклы нужно для борща?"}, {"assistant", "Две большие свёклы."}}},
		{title: "وصفة", day: "2024-09-01", says: [][2]string{{"user", "كيف أحضّر القهوة العربية؟"}, {"assistant", "تحتاج إلى الهيل."}}},
		{title: "알레르기", day: "2024-10-01", says: [][2]string{{"user", "저는 호두 알레르기가 있어요."}, {"assistant", "호두를 피하세요."}}},
		{title: "Café à Lyon", day: "2024-11-01", says: [][2]string{{"user", "Où boire un café crème près de la gare?"}, {"assistant", "Essayez le quartier d’Ainay."}}},
		{title: "Σαλάτα", day: "2024-12-01", says: [][2]string{{"user", "Πώς φτιάχνω χωριάτικη σαλάτα;"}, {"assistant", "Με ντομάτες και φέτα."}}},
	}
	for i := range 40 { // what is not meant
		talks = append(talks, talk{title: fmt.Sprintf("Notes %d", i), day: "2022-01-01", says: [][2]string{{"user", fmt.Sprintf("Summarize the report of week %d about the table of costs.", i)}, {"assistant", "The costs are stable and the plan is a good one."}}})
	}
	write(t, folder, talks, []remembered{
		{"Is allergic to walnuts.", "fact", "active", "2024-03-05"}, {"Keeps bees.", "fact", "superseded", "2023-01-01"}, {"Drinks green tea in the morning.", "preference", "active", "2024-01-01"},
	})
	x, b, _ := updated(t, filepath.Join(t.TempDir(), "me.db"), folder)
	return x, b
}

func TestTheBestPlaceComesFirst(t *testing.T) {
	x, b := library(t)
	for _, c := range []struct {
		query string
		in    string
		first string
	}{
		{"walnut allergy", "", "Dinner for eight/m0"},
		{"walnut wood table", "", "Carpentry/m0"},
		{"walnut allergy", KindMemory, "Is allergic to walnuts."},
		{"allergies april", "", "Pollen season/m0"},
		{"allergy april", "", "Pollen season/m0"},
		{"green tea", "", "Drinks green tea in the morning."},
		{`"walnut oil"`, "", "Dinner for eight/m1"},
		{"carpent*", "", "title: Carpentry"},
		{"walnut -allergy", KindMessage, "Carpentry/m0"},
		{"旅館", KindMessage, "旅行の計画/m0"},
		{"京都 旅館", "", "旅行の計画/m0"},
		{"核桃过敏", "", "过敏问题/m0"},
		{"свекла", "", "Рецепт борща/m0"},
		{"СВЁКЛЫ БОРЩА", KindMessage, "Рецепт борща/m0"},
		{"قهوة", "", "وصفة/m0"},
		{"호두 알레르기", "", "알레르기/m0"},
		{"cafe creme", "", "Café à Lyon/m0"},
		{"χωριατικη σαλατα", "", "Σαλάτα/m0"},
		{"guest list", KindAsset, "asset: Dinner for eight"},
		{"Guest", "", "Dinner for eight/m0"},
	} {
		o := Options{Limit: 5}
		if c.in != "" {
			o.In = []string{c.in}
		}
		if got := find(t, x, b, c.query, o); len(got) == 0 || got[0] != c.first {
			t.Errorf("%s: %q, want %q first", c.query, got, c.first)
		}
	}
}

func TestOptionsLimitWhatIsFound(t *testing.T) {
	x, b := library(t)
	at := func(s string) int64 {
		v, err := time.Parse("2006-01-02", s)
		check(t, err)
		return v.Unix()
	}
	for name, c := range map[string]struct {
		query string
		o     Options
		want  []string
	}{
		"role":          {"walnut", Options{Role: "assistant"}, []string{"Carpentry/m1", "Dinner for eight/m1"}},
		"provider":      {"walnut", Options{Provider: "claude", In: []string{KindMessage}}, []string{"Carpentry/m0", "Carpentry/m1"}},
		"since":         {"walnut", Options{Since: at("2024-01-01"), In: []string{KindMessage}}, []string{"Dinner for eight/m0", "Dinner for eight/m1"}},
		"until":         {"walnut", Options{Until: at("2024-01-01"), In: []string{KindMessage}}, []string{"Carpentry/m0", "Carpentry/m1"}},
		"period":        {"walnut", Options{Since: at("2023-06-01"), Until: at("2024-01-01"), In: []string{KindMessage}}, nil},
		"titles":        {"notes 7", Options{In: []string{KindTitle}}, []string{"title: Notes 7"}},
		"no such role":  {"walnut", Options{Role: "tool"}, nil},
		"nothing":       {"xylophone", Options{}, nil},
		"several kinds": {"walnut*", Options{In: []string{KindMemory, KindTitle}}, []string{"Is allergic to walnuts."}},
	} {
		got := find(t, x, b, c.query, c.o)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTheNewestComesFirstByTime(t *testing.T) {
	x, b := library(t)
	got := find(t, x, b, "walnut", Options{ByTime: true, In: []string{KindMessage}})
	if want := []string{"Dinner for eight/m1", "Dinner for eight/m0", "Carpentry/m1", "Carpentry/m0"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := find(t, x, b, "costs", Options{ByTime: true, Limit: 3}); len(got) != 3 {
		t.Errorf("limited: %q", got)
	}
	if got := find(t, x, b, "costs", Options{In: []string{KindMessage}}); len(got) != 80 {
		t.Errorf("all: %d", len(got))
	}
}

func TestManyPagesOfRowsAreOrderedByTimeAsAWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	folder := filepath.Join(t.TempDir(), "b")
	var talks []talk
	for i := range 60 {
		k := talk{title: fmt.Sprintf("T%02d", i), day: fmt.Sprintf("2024-%02d-%02d", 1+i/28, 1+i%28)}
		for range 59 {
			k.says = append(k.says, [2]string{"user", "common words"})
		}
		talks = append(talks, k)
	}
	talks[3].says[5][1] = "common words and a needle"
	write(t, folder, talks, nil)
	x, b, _ := updated(t, "", folder)
	if got := find(t, x, b, "common", Options{ByTime: true, Limit: 2}); !slices.Equal(got, []string{"T59/m58", "T59/m57"}) {
		t.Errorf("newest: %q", got)
	}
	since := time.Date(2024, 1, 4, 0, 0, 0, 0, time.UTC)
	o := Options{Since: since.Unix(), Until: since.Add(24 * time.Hour).Unix(), Limit: 100}
	if got := find(t, x, b, "common", o); len(got) != 59 {
		t.Errorf("an old day: %d", len(got))
	}
	if got := find(t, x, b, "needle common", Options{Limit: 5}); !slices.Equal(got, []string{"T03/m5"}) {
		t.Errorf("a rare word: %q", got)
	}
}

func TestASnippetShowsTheWordsWhereTheyAre(t *testing.T) {
	x, b := library(t)
	q, err := ParseQuery("walnut allergy")
	check(t, err)
	r, err := x.Find(t.Context(), b, q, Options{In: []string{KindMessage}, Limit: 1})
	check(t, err)
	h := r.Hits[0]
	runes := []rune(h.Text)
	var marked []string
	for _, m := range h.Matches {
		marked = append(marked, string(runes[m[0]:m[1]]))
	}
	if !slices.Equal(marked, []string{"walnut", "allergy"}) || h.Date != "2024-03-05T10:00:00Z" || h.Provider != "chatgpt" || h.Role != "user" || h.Branch != 1 || h.Branches != 1 {
		t.Errorf("%q in %+v", marked, h)
	}
	if !r.More {
		t.Error("there are more hits, and nothing says so")
	}
}

func TestWordsOfDifferentMessagesAreFoundAsSome(t *testing.T) {
	x, b := library(t)
	q, err := ParseQuery("risotto pesto")
	check(t, err)
	r, err := x.Find(t.Context(), b, q, Options{Limit: 5})
	check(t, err)
	if len(r.Hits) != 2 || r.Hits[0].Match != "some" {
		t.Errorf("%+v", r.Hits)
	}
}

// Memories are found newest first whatever the order of the store, and phrases in memories without
// reading all that have their words.
func TestMemoriesAreFoundByTimeAndPhrase(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "b")
	var all []remembered
	for i := range 40 {
		all = append(all, remembered{fmt.Sprintf("Said the thing number %d, and a thing of the number.", i), "fact", "active", fmt.Sprintf("2024-%02d-%02d", 1+i*7%12, 1+i*11%28)})
	}
	all = append(all, remembered{"Said of the number: thing.", "fact", "active", "2025-01-01"}, remembered{"The thing has no time, number.", "fact", "active", ""})
	write(t, folder, nil, all)
	x, b, _ := updated(t, "", folder)
	q, err := ParseQuery(`"the thing number"`)
	check(t, err)
	for _, limit := range []int{0, 7} {
		r, err := x.Find(t.Context(), b, q, Options{ByTime: true, Limit: limit})
		check(t, err)
		if want := map[int]int{0: 40, 7: 7}[limit]; len(r.Hits) != want || r.More != (limit > 0) {
			t.Errorf("limit %d: %d hits, more: %v", limit, len(r.Hits), r.More)
		}
		for i := range r.Hits[1:] {
			if r.Hits[i].Date < r.Hits[i+1].Date {
				t.Errorf("limit %d: %s is before %s", limit, r.Hits[i].Date, r.Hits[i+1].Date)
			}
		}
	}
	for name, days := range map[string][2]string{"since": {"2024-03-01", ""}, "until": {"", "2024-03-01"}, "a day": {"2024-10-06", "2024-10-07"}, "no bounds": {}} {
		o, want := Options{}, 0
		for i, day := range days {
			if at, err := time.Parse(time.DateOnly, day); err == nil {
				*[]*int64{&o.Since, &o.Until}[i] = at.Unix()
			}
		}
		for _, m := range all {
			if name == "no bounds" || m.day != "" && m.day >= days[0] && (days[1] == "" || m.day < days[1]) {
				want++
			}
		}
		if got := find(t, x, b, "thing number", o); len(got) != want {
			t.Errorf("%s: %d, want %d", name, len(got), want)
		}
	}
}

// The other forms of a word are the words of messages that begin like it; where those are too many,
// the beginning itself is looked for.
func TestFormsOfAWordAreListed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "b")
	talks := []talk{{title: "T", day: "2024-01-01", says: [][2]string{{"user", "allergies"}, {"user", "allergic to peanuts"}, {"user", "allergologists"}}}}
	for i := range maxForms + 5 {
		talks[0].says = append(talks[0].says, [2]string{"user", fmt.Sprintf("stone%03d", i)})
	}
	write(t, folder, talks, nil)
	x, b, _ := updated(t, "", folder)
	if got := find(t, x, b, "allergy", Options{}); !slices.Equal(got, []string{"T/m0", "T/m1"}) {
		t.Errorf("%q", got)
	}
	if got := find(t, x, b, "allergy peanut", Options{}); !slices.Equal(got, []string{"T/m1"}) {
		t.Errorf("%q", got)
	}
	if got := find(t, x, b, "stoned", Options{}); len(got) != maxForms+5 {
		t.Errorf("many forms: %d", len(got))
	}
}

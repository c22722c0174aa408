package rules

import (
	"fmt"
	"testing"

	"github.com/pamline/pamline/normalize"
)

func listTimes(all []normalize.Candidate) (s string) {
	for i := range all {
		s += fmt.Sprintf("[%s event %s, until %s]", all[i].Content, all[i].EventTime, all[i].ValidUntil)
	}
	return s
}

// TestRelativeTimesBecomeDates reads what was said on Wednesday, May 1, 2024.
func TestRelativeTimesBecomeDates(t *testing.T) {
	for text, want := range map[string]string{
		"I quit my job yesterday.":                "2024-04-30",
		"I quit my job last week.":                "2024-04",
		"I quit my job three weeks ago.":          "2024-04",
		"I quit my job last year.":                "2023",
		"I quit my job in December.":              "2023-12",
		"I quit my job in March 2021.":            "2021-03",
		"I quit my job on June 5.":                "2023-06-05",
		"I quit my job last Friday.":              "2024-04-26",
		"I quit my job on 2024-02-29.":            "2024-02-29",
		"I just quit my job.":                     "2024-05",
		"I quit my job.":                          "",
		"I recently quit my job.":                 "",
		"Last month I quit my job.":               "2024-04",
		"Ich habe vor zwei Monaten gekündigt.":    "2024-03",
		"J'ai démissionné il y a deux semaines.":  "2024-04",
		"Renuncié el 3 de marzo.":                 "2024-03-03",
		"Mi sono licenziata lunedì scorso.":       "2024-04-29",
		"I'm moving to Porto next month.":         "2024-06",
		"I'm moving to Porto in March.":           "2025-03",
		"We're moving to Porto in three weeks.":   "2024-05",
		"Ich ziehe im August nach Porto.":         "2024-08",
		"I've quit my job, and it feels so good.": "",
	} {
		got, _ := New().Extract(talked(text), nil)
		if len(got) == 0 || got[0].EventTime != want {
			t.Errorf("%q: %s, not %s", text, listTimes(got[:min(1, len(got))]), want)
		}
	}
}

func TestAPlanHoldsUntilItsTimeHasPassed(t *testing.T) {
	got, _ := New().Extract(talked("I'm moving to Porto next month."), nil)
	if len(got) != 1 || got[0].ValidUntil != "2024-07-01T00:00:00Z" || got[0].Content != "Is moving to Porto in June 2024." {
		t.Errorf("%s", listTimes(got))
	}
}

func TestWhatLastedFromOneYearToAnotherIsDated(t *testing.T) {
	for text, want := range map[string]string{
		"I lived in Dubai from 2015 to 2018.":     "Lived in Dubai from 2015 to 2018. 2015-01-01T00:00:00Z 2018-01-01T00:00:00Z",
		"2015年から2018年まで東京の銀行で働いていました。":            "東京の銀行で働いていた。 2015-01-01T00:00:00Z 2018-01-01T00:00:00Z",
		"저는 2015년부터 2018년까지 삼성에서 일했습니다.":          "삼성에서 일했다. 2015-01-01T00:00:00Z 2018-01-01T00:00:00Z",
		"我从2015年到2018年在北京住过。":                     "在北京住过。 2015-01-01T00:00:00Z 2018-01-01T00:00:00Z",
		"عشت في دبي من 2015 إلى 2018.":            "السكن سابقا في دبي. 2015-01-01T00:00:00Z 2018-01-01T00:00:00Z",
		"2015'ten 2018'e kadar İzmir'de yaşadım.": "İzmir'de yaşadı. 2015-01-01T00:00:00Z 2018-01-01T00:00:00Z",
		"2015年から大阪に住んでいます。":                       "大阪に住んでいる。 2015-01-01T00:00:00Z ",
		"我从2015年起住在上海。":                           "住在上海。 2015-01-01T00:00:00Z ",
		"저는 2019년부터 부산에 살고 있어요.":                  "부산에 산다. 2019-01-01T00:00:00Z ",
	} {
		got, _ := New().Extract(talked(text), nil)
		if len(got) == 0 || fmt.Sprint(got[0].Content, " ", got[0].ValidFrom, " ", got[0].ValidUntil) != want {
			t.Errorf("%q: %s, not %s", text, listTimes(got[:min(1, len(got))]), want)
		}
	}
}

func TestUntilAMonthIsStillToCome(t *testing.T) {
	wantContents(t, map[string]string{"I'm on parental leave until January.": "Is on parental leave until January 2025."})
}

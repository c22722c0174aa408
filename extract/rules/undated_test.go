package rules

import "testing"

// TestAChangeHasNoMonthThatWasNotSaid reads what was said on May 1, 2024.
func TestAChangeHasNoMonthThatWasNotSaid(t *testing.T) {
	for text, want := range map[string]string{
		"We finally got divorced.":          "Divorced. ",
		"I recently quit my job.":           "Quit their job. ",
		"I quit my job lately.":             "Quit their job. ",
		"I quit my job just because.":       "Quit their job. ",
		"Ich habe gekündigt, gerade nett.":  "Hat den Job gekündigt. ",
		"I retired so now I just teach.":    "Retired. ",
		"I just quit my job.":               "Quit their job in May 2024. 2024-05",
		"I quit my job today.":              "Quit their job in May 2024. 2024-05",
		"I quit my job just now.":           "Quit their job in May 2024. 2024-05",
		"Ich habe vor kurzem gekündigt.":    "Hat den Job gekündigt. ",
		"Ich habe gerade gekündigt.":        "Hat im Mai 2024 den Job gekündigt. 2024-05",
		"J'ai démissionné récemment.":       "A quitté son emploi. ",
		"Je viens de démissionner.":         "A quitté son emploi en mai 2024. 2024-05",
		"Recientemente dejé mi trabajo.":    "Dejó su trabajo. ",
		"Acabo de dejar mi trabajo.":        "Dejó su trabajo en mayo de 2024. 2024-05",
		"Di recente ho lasciato il lavoro.": "Ha lasciato il lavoro. ",
		"Ho appena lasciato il lavoro.":     "Ha lasciato il lavoro a maggio 2024. 2024-05",
		"Recentemente pedi demissão.":       "Deixou o emprego. ",
		"Ik heb onlangs ontslag genomen.":   "Heeft ontslag genomen. ",
		"Ik heb net ontslag genomen.":       "Heeft in mei 2024 ontslag genomen. 2024-05",
		"Я недавно уволился.":               "Уход с работы. ",
		"Я только что уволился.":            "Уход с работы (май 2024). 2024-05",
		"我最近辞职了。":                           "辞职。 ",
		"我刚辞职了。":                            "2024年5月辞职。 2024-05",
		"最近退職しました。":                         "退職した。 ",
		"さっき退職しました。":                        "2024年5月に退職した。 2024-05",
		"최근에 퇴사했어요.":                        "퇴사. ",
		"방금 퇴사했어요.":                         "2024년 5월에 퇴사. 2024-05",
		"استقلت للتو من عملي.":              "ترك العمل في مايو 2024. 2024-05",
		"Az önce istifa ettim.":             "Mayıs 2024 işten ayrıldı. 2024-05",
	} {
		got, _ := New().Extract(talked(text), nil)
		if len(got) == 0 || got[0].Content+" "+got[0].EventTime != want {
			t.Errorf("%q: %s, not %s", text, listTimes(got[:min(1, len(got))]), want)
		}
	}
}

// TestWordsThatNameNoTimeStay reads what was said on Wednesday, May 1, 2024.
func TestWordsThatNameNoTimeStay(t *testing.T) {
	wantContents(t, map[string]string{
		"I'm in my last year of college.":                 "Is in their last year of college.",
		"I go to Rome every year on May 5th.":             "Goes to Rome every year on May 5th.",
		"Ich fahre jedes Jahr im Mai nach Rom.":           "Fährt jedes Jahr im Mai nach Rom.",
		"Voy a Roma cada año en mayo.":                    "Va a Roma cada año en mayo.",
		"I am usually free on Thursday afternoons.":       "Is usually free on Thursday afternoons.",
		"My dad works Monday through Friday.":             "Their dad works Monday through Friday.",
		"I don't work on Friday.":                         "Does not work on Friday.",
		"I haven't bought new clothes in about 15 years.": "Has not bought new clothes in about 15 years.",
		"I post about my garden on Mondays.":              "Posts about their garden on Mondays.",
	})
}

func TestATimeIsWrittenWhereItWasSaid(t *testing.T) {
	wantContents(t, map[string]string{
		"I have a long run scheduled for Saturday morning.": "Has a long run scheduled for May 4, 2024.",
		"I've applied for 5 jobs in the past week.":         "Has applied for 5 jobs in April 2024.",
		"I had a similar thought just yesterday.":           "Had a similar thought on April 30, 2024.",
		"I'm headed to Jamaica in March.":                   "Is headed to Jamaica in March 2025.",
		"My recital is next Wednesday.":                     "Their recital is on May 8, 2024.",
		"My recital is this Wednesday.":                     "Their recital is on May 1, 2024.",
		"I got a D on my test the next day.":                "Has a D on their test.",
	})
}

func TestWhatIsMentionedHasNoTime(t *testing.T) {
	got, _ := New().Extract(talked("I told my boyfriend about it last night."), nil)
	for i := range got {
		if got[i].EventTime != "" && got[i].Rule == "relationship.mentioned" {
			t.Errorf("%s", listTimes(got))
		}
	}
}

package harvest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

// said renders what a record of a kind gives as "type|slot|content|quote".
func said(t *testing.T, kind, provider, text string) []string {
	t.Helper()
	found, _ := New().ExtractRecord(&extract.Record{Kind: kind, Provider: provider, Text: text, CreatedAt: "2025-01-01T00:00:00Z"})
	var list []string
	for _, c := range statedOnly(found) {
		slot := ""
		if c.Slot != nil {
			slot = c.Slot.Attribute + "=" + c.Slot.Value
		}
		list = append(list, strings.Join([]string{c.Type, slot, c.Content, c.Evidence[0].Quote}, "|"))
	}
	return list
}

func TestASummaryIsReadSentenceBySentence(t *testing.T) {
	got := said(t, extract.RecordMemory, "claude", "**Personal context**\n\nNora lives in Graz with her husband Jan and her daughter Mia. She is learning Czech. Jan paints.\n\n**Languages**\n\n- German\n- Spanish")
	want := []string{
		"identity|residence=graz|Lives in Graz.|Nora lives in Graz with her husband Jan and her daughter Mia.",
		"relationship|partner=jan|Has a husband named Jan.|Nora lives in Graz with her husband Jan and her daughter Mia.",
		"relationship|relative.daughter=mia|Has a daughter named Mia.|Nora lives in Graz with her husband Jan and her daughter Mia.",
		"skill|study=czech|Is learning Czech.|She is learning Czech.",
		"fact||Jan paints.|Jan paints.",
		"skill|language=german|Speaks German.|German",
		"skill|language=spanish|Speaks Spanish.|Spanish",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheSameFactHasOneFormWhoeverWroteIt(t *testing.T) {
	for _, text := range []string{"User lives in Graz.", "The user lives in Graz.", "Lives in Graz", "I live in Graz.", "- Location: Graz", "Nora lives in Graz."} {
		if got := said(t, extract.RecordMemory, "claude", text); len(got) != 1 || !strings.HasPrefix(got[0], "identity|residence=graz|Lives in Graz.|") {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

func TestWordsThatNoRuleTakesAreKept(t *testing.T) {
	for text, want := range map[string]string{
		"User has two sons, Leo (5) and Max (8).":               "Has two sons, Leo (5) and Max (8).",
		"User speaks German and English fluently.":              "Speaks German and English fluently.",
		"User repurposes church bells.":                         "Repurposes church bells.",
		"User only drinks tea that was grown without spraying.": "Only drinks tea that was grown without spraying.",
	} {
		var contents []string
		for _, line := range said(t, extract.RecordMemory, "claude", text) {
			contents = append(contents, strings.Split(line, "|")[2])
		}
		if !slices.Contains(contents, want) {
			t.Errorf("%q gives %q", text, contents)
		}
	}
}

func TestInstructionsThatCanBeReadAloneAreSplit(t *testing.T) {
	for text, want := range map[string]int{
		"Be concise. Use metric units.":                             2,
		"- No emoji please\n- Answer in German":                     2,
		"Be concise. This holds for code, too.":                     1,
		"When I ask for code:\n1. think\n2. write":                  1,
		"Be brief.\n\nAlways.":                                      1,
		"Act as a tutor. " + strings.Repeat("very long ", 20) + ".": 1,
	} {
		got := said(t, extract.RecordInstruction, "claude", text)
		if len(got) != want {
			t.Errorf("%q gives %q", text, got)
		}
		for _, line := range got {
			if !strings.HasPrefix(line, "instruction|") {
				t.Errorf("%q is no instruction", line)
			}
		}
	}
	if got := fmt.Sprint(said(t, extract.RecordInstruction, "claude", "Always answer in German. Use metric units.")); !strings.Contains(got, "answer.language=german") {
		t.Errorf("the slot is missing: %s", got)
	}
}

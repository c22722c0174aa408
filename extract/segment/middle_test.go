package segment

import (
	"runtime"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

func TestMiddleOfAHugeMessageIsPasted(t *testing.T) {
	t.Parallel()
	head, tail := "I live in Oslo.\n\n", "\n\nI work as a baker."
	for name, body := range map[string]string{
		"plain lines":     strings.Repeat("I took the late tram again today.\n", 60_000),
		"one line":        strings.Repeat("I took the late tram again today. ", 60_000),
		"wide characters": strings.Repeat("今日も電車が遅れた。", 60_000),
		"tags":            strings.Repeat("<system-reminder>x</system-reminder>\n", 60_000),
	} {
		text := head + body + tail
		segments := Message(text, []extract.Span{{Start: len(text) / 2, End: len(text)/2 + 100}})
		at, pasted := 0, 0
		for _, s := range segments {
			if s.Start != at || s.End <= s.Start {
				t.Fatalf("%s: gap before %+v", name, s)
			}
			if at = s.End; s.Kind == Pasted {
				pasted += s.End - s.Start
			}
			if !strings.HasPrefix(text[s.Start:], string([]rune(text[s.Start:min(s.Start+8, len(text))])[:1])) {
				t.Errorf("%s: %+v begins within a character", name, s)
			}
		}
		if at != len(text) || pasted < len(text)-2*edge || segments[0].Kind != Prose || segments[len(segments)-1].Kind != Prose {
			t.Errorf("%s: %d of %d bytes are pasted; first %+v, last %+v", name, pasted, len(text), segments[0], segments[len(segments)-1])
		}
	}
}

func TestMemoryDoesNotGrowWithTheLinesOfAMessage(t *testing.T) {
	for name, line := range map[string]string{"fences": "```\n", "colons": ":\n", "tags": "<system-x>a</system-x>\n"} {
		text := strings.Repeat(line, (16<<20)/len(line))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Message(text, nil)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 160<<20 {
			t.Errorf("%s: %d MiB were allocated for 16 MiB", name, used>>20)
		}
	}
}

package llm

import (
	"strings"
	"testing"
)

// A question is bounded whatever a conversation is made of; an answer is (maxBody). So is what is
// held for each question under way, of which there are Options.Parallel.
func TestNoConversationMakesALongQuestion(t *testing.T) {
	x, err := New(Options{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	many := func(n int, texts ...string) (out []string) {
		for range n {
			out = append(out, texts...)
		}
		return out
	}
	for name, texts := range map[string][]string{
		"one word":         {strings.Repeat("x", 1<<18)},
		"sentences":        {strings.Repeat("I like tea. ", 1<<13)},
		"Han":              {strings.Repeat("我住在奥斯陆", 1<<13)},
		"emoji":            {strings.Repeat("🙂", 1<<15)},
		"line breaks":      {"I like tea." + strings.Repeat("\n", 1<<18) + "And milk."},
		"control bytes":    {"I like tea. " + strings.Repeat("\x01", 1<<16)},
		"marks":            {"I like tea. " + strings.Repeat("<|x|>", 1<<13)},
		"fences":           {strings.Repeat("I like tea.\n```\ncode\n```\n", 1<<13)},
		"quotes":           {strings.Repeat("> said\n\nI like tea.\n\n", 1<<13)},
		"letters in turns": many(1<<12, "I", ">x"),
		"long answers":     many(1<<6, "I like tea.", ">"+strings.Repeat("word ", 1<<14)),
	} {
		for _, c := range x.chunks(talkOf("c", texts...)) {
			if text := c.text(); len(text) > 64<<10 {
				t.Errorf("%s: a question of %d bytes", name, len(text))
				break
			}
		}
	}
}

package web

import (
	"fmt"
	"strconv"
	"strings"
)

// minuteOf is a time as people read it, to the minute.
func minuteOf(at string) string {
	if len(at) < len("2006-01-02T15:04") {
		return dayOf(at)
	}
	return strings.Replace(at[:16], "T", " ", 1)
}

// countOf is a number with separators.
func countOf(n any) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n any, one, many string) string {
	if fmt.Sprint(n) == "1" {
		return "1 " + one
	}
	return countOf(n) + " " + many
}

// sizeOf is a number of bytes as people read it.
func sizeOf(n int64) string {
	value, unit := float64(n), 0
	for units := 4; value >= 1000 && unit < units; unit++ {
		value /= 1000
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + []string{"", "kB", "MB", "GB", "TB"}[unit]
}

// shorten cuts a text to a number of characters.
func shorten(most int, text string) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return strings.TrimSpace(string(runes[:most])) + "…"
}

// providerNames are the names of providers as they write them themselves.
var providerNames = map[string]string{
	"chatgpt": "ChatGPT", "claude": "Claude", "gemini": "Gemini", "grok": "Grok", "copilot": "Copilot", "deepseek": "DeepSeek", "perplexity": "Perplexity",
	"mistral": "Mistral", "manual": "by hand",
}

func providerName(id string) string {
	if name, ok := providerNames[id]; ok {
		return name
	}
	return id
}

package llm

import (
	"strings"

	"github.com/pamline/pamline/extract/gate"
)

// redact takes secrets out of a text before it leaves for the service: they are of no use to it,
// and it may keep what it is sent. Where a text is refused as a whole, each of its lines is looked
// at by itself; an attempt to give orders stays, as data.
func redact(text string) string {
	v := gate.Screen(text)
	if len(v.Found) == 0 {
		return text
	}
	if v.Reason == "" {
		return v.Redacted
	}
	lines := strings.SplitAfter(text, "\n")
	inKey := false
	for i, line := range lines {
		body := strings.TrimRight(line, "\n")
		begins := strings.Contains(body, "-----BEGIN ") && strings.Contains(body, "KEY")
		ends := strings.Contains(body, "-----END ")
		switch {
		case inKey || begins:
			inKey = !ends
			body = gate.Mark
		default:
			body = redactLine(body)
		}
		lines[i] = body + line[len(strings.TrimRight(line, "\n")):]
	}
	return strings.Join(lines, "")
}

func redactLine(line string) string {
	switch v := gate.Screen(line); v.Reason {
	case "":
		return v.Redacted
	case gate.Injection:
		return line
	default:
		return gate.Mark
	}
}

package segment

import "strings"

var logLevels = []string{"ERROR", "WARN", "INFO", "DEBUG", "TRACE", "FATAL", "NOTICE", "CRITICAL"}

// logLook finds lines of logs, stack traces and saved chats.
func logLook(s string, h shape) look {
	switch h.first {
	case 'T':
		if strings.HasPrefix(s, "Traceback (most recent") {
			return logLine | certain
		}
	case 'F':
		if strings.HasPrefix(s, `File "`) && strings.Contains(s, ", line ") {
			return logLine | certain
		}
	case 'a':
		if strings.HasPrefix(s, "at ") && h.symbols >= 2 && (h.last == ')' || h.digits > 0) && strings.ContainsAny(s, "(/") {
			return logLine | certain
		}
	case 'C':
		if strings.HasPrefix(s, "Caused by: ") {
			return logLine | certain
		}
	case 'n':
		if strings.HasPrefix(s, "npm ERR!") || strings.HasPrefix(s, "npm error") {
			return logLine | certain
		}
	case 'E':
		if strings.HasPrefix(s, "Exception in thread") {
			return logLine | certain
		}
	}
	if i := strings.IndexByte(s, ':'); i > 5 && i < 60 && !strings.Contains(s[:i], " ") &&
		(strings.HasSuffix(s[:i], "Error") || strings.HasSuffix(s[:i], "Exception")) {
		return logLine | certain
	}
	if h.digits == 0 && h.first != '[' {
		return 0
	}
	head := s[:min(len(s), 70)]
	if h.digits >= 4 && (h.first == '[' || byteClass[h.first]&isDigit != 0) && strings.Contains(head, ":") {
		for _, level := range logLevels {
			if strings.Contains(head, level) {
				return logLine | certain
			}
		}
	}
	if h.first == '[' {
		for _, level := range logLevels {
			if strings.HasPrefix(s[1:], level) {
				return logLine | certain
			}
		}
	}
	if chatStamp(s) {
		return chatLine
	}
	return 0
}

// chatStamp tells whether a line opens as a saved chat does: a time, then a name and a colon.
func chatStamp(s string) bool {
	at, digits, colon := 0, 0, false
	for ; at < len(s) && at < 40; at++ {
		c := s[at]
		switch {
		case byteClass[c]&isDigit != 0:
			digits++
		case c == ':':
			colon = colon || digits > 0
		case c == '[' || c == ']' || c == '(' || c == ')' || c == '/' || c == '.' || c == ',' || c == '-' || c == ' ':
		case (c == 'A' || c == 'P' || c == 'a' || c == 'p') && at+1 < len(s) && (s[at+1]|0x20) == 'm':
			at++
		case c == 0xe2 || c == 0x80 || c == 0xaf || c == 0x8e || c == 0x93: // narrow space, direction mark, dash
		case c == 'T' || c == 'Z':
			if digits == 0 {
				return false
			}
		default:
			return digits >= 3 && colon && namedSpeaker(s[at:])
		}
	}
	return false
}

// namedSpeaker tells whether a text opens with one to four words and a colon or a closing angle
// bracket.
func namedSpeaker(s string) bool {
	words := 1
	for i := 0; i < len(s) && i < 40; i++ {
		switch s[i] {
		case ' ':
			words++
		case ':', '>':
			return i > 0 && words <= 4
		case '.', '!', '?', ',':
			return false
		}
	}
	return false
}

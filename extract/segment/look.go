package segment

import "strings"

// look is what a single line looks like; it may look like several things.
type look uint8

const (
	codeLine look = 1 << iota
	tableLine
	logLine
	chatLine
	quoteLine
	maybe   // may stand inside of a block without showing anything itself
	certain // enough for a block on its own
)

func lookOf(s string, h shape) look {
	s = s[h.indent : h.indent+h.width]
	switch {
	case h.first == '>' && !strings.HasPrefix(s, ">:") && !strings.HasPrefix(s, ">>>"):
		return quoteLine | certain
	case h.pipes >= 2 && (h.first == '|' && h.last == '|' || h.pipes >= 3):
		return tableLine | certain
	case h.pipes >= 2, h.tabs >= 1 && h.tabs*12 >= h.width-60 && !tabbedItem(s, h), h.tight >= 3 && h.tight == h.commas:
		return tableLine
	}
	if l := logLook(s, h); l != 0 {
		return l
	}
	return codeLook(s, h)
}

// tabbedItem tells whether the only tab of a line stands behind its bullet or number.
func tabbedItem(s string, h shape) bool {
	return h.tabs == 1 && strings.IndexByte(s, '\t') < 5
}

// codeWords begin lines of programs. They are words of plain talk, too, so that signs of a program
// must follow.
var codeWords = func() map[string]bool {
	t := map[string]bool{}
	for _, w := range strings.Fields(`import from def class func function fn public private protected static const let var val return using package
		if for while else elif switch case try catch except finally throw namespace struct enum interface type int void string bool float double char
		select insert update delete create alter drop where join begin end print println echo sudo git npm pip docker cd export async await
		self this new do foreach end endif local require module use impl pub mut unsigned long auto template`) {
		t[w] = true
	}
	return t
}()

var codeSigns = []string{"=>", "==", "!=", "+=", "-=", "&&", "||", "::", "->", "();", ");", "){", ") {", "</", "/>", "](", "[]", "();", "\":", "console.", "System.", "self."}

// codeLook weighs the signs of program text, markup and data.
func codeLook(s string, h shape) look {
	if h.symbols == 0 {
		if h.indent >= 2 && h.letters < 40 {
			return maybe
		}
		if h.first == '"' && h.last == ',' {
			return codeLine
		}
		return 0
	}
	score := 0
	switch h.last {
	case '{', ';', '}':
		score += 2
	case ')', ']', '>', ',', ':', '(', '[':
		if h.indent >= 2 || h.symbols*5 >= h.width {
			score++
		}
	}
	switch h.first {
	case '{', '}', '<', ']':
		if h.symbols*8 >= h.width || h.width <= 2 {
			score += 2
		}
	case '[':
		if h.width <= 2 || byteClass[s[1]]&(isLetter|isBlank) == 0 && s[1] < 0x80 {
			score += 2
		}
	case '#', '@', '$', '/', '.':
		if strings.HasPrefix(s, "//") || strings.HasPrefix(s, "/*") || strings.HasPrefix(s, "#include") || strings.HasPrefix(s, "#define") || strings.HasPrefix(s, "$ ") {
			score += 2
		}
	case '"':
		if strings.Contains(s, `":`) {
			score += 2
		}
	case '>':
		score += 2 // >>>, a prompt
	}
	if h.symbols*10 >= h.letters {
		for _, sign := range codeSigns {
			if strings.Contains(s, sign) {
				score++
				break
			}
		}
	}
	if h.symbols*4 >= h.letters && h.symbols >= 3 {
		score++
	}
	end := 0
	for end < len(s) && byteClass[s[end]]&isLetter != 0 {
		end++
	}
	if end > 1 && end <= 10 && codeWords[strings.ToLower(s[:end])] && (h.symbols >= 2 || score > 0) && end < len(s) {
		score++
		if h.last == ':' && strings.HasSuffix(s, "):") {
			score++
		}
	} else if end > 0 && strings.HasPrefix(s[end:], " = ") || end > 0 && strings.HasPrefix(s[end:], " += ") {
		score += 2
	}
	switch {
	case score >= 3:
		return codeLine | certain
	case score == 2:
		return codeLine
	case score == 1, h.indent >= 2:
		return maybe
	}
	return 0
}

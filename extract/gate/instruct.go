package gate

import (
	"strings"

	"github.com/pamline/pamline/normalize"
)

// instructs tells why an instruction must not be kept: it is replayed to assistants for ever.
func instructs(c *normalize.Candidate) string {
	once, lasting := false, false
	texts := []string{c.Content}
	for i := range c.Evidence {
		texts = append(texts, c.Evidence[i].Quote)
	}
	for _, text := range texts {
		text = plainText(text)
		t := topics(text)
		switch {
		case t[topicPlanted]:
			return Injection
		case t[topicUnsafe], namesAddress(text), runsCommand(text):
			return UnsafeInstruction
		case t[topicThis]:
			return OneOff
		}
		once, lasting = once || t[topicOnce], lasting || topics(unquoted(text))[topicLasting]
	}
	if once && !lasting {
		return OneOff
	}
	return ""
}

// unquoted is a text without what stands in quotation marks: "always" in there is said by somebody
// else.
func unquoted(text string) string {
	parts := strings.Split(text, `"`)
	if len(parts) < 3 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i] + " ")
	}
	return b.String()
}

// domains are the ends of host names that people write without http://.
var domains = words("com net org io xyz ru top site info app dev ai biz shop online click link cn tk ml me gg ly cc pw club store live space website tech zip mov edu gov eu uk de fr es it br pt us in jp")

// products end like host names and are none.
var products = words("asp.net vb.net ml.net socket.io draw.io booking.com amazon.com deno.dev node.js")

// namesAddress tells whether an address of the web or of mail is in a text.
func namesAddress(text string) bool {
	lower := strings.ToLower(text)
	if strings.Contains(lower, "://") || strings.Contains(lower, "www.") || strings.Contains(lower, "mailto:") || strings.Contains(lower, "](") {
		return true
	}
	for word := range strings.FieldsFuncSeq(lower, func(r rune) bool { return strings.ContainsRune(" \n\t,;:()\"'<>[]`", r) }) {
		word = strings.Trim(word, ".!?*_")
		host, _, _ := strings.Cut(word, "/")
		dot := strings.LastIndexByte(host, '.')
		if dot < 1 || products[host] {
			continue
		}
		if strings.Contains(host, "@") || domains[host[dot+1:]] && len(host[:dot]) > 1 {
			return true
		}
	}
	return false
}

// commands are signs of something that a machine would run.
var commands = []string{
	"rm -rf", "sudo ", "| sh", "|sh", "| bash", "|bash", "bash -c", "sh -c", "$(", "&& ", "chmod +x", "chmod 777", "powershell -", "invoke-webrequest", "invoke-expression", "eval(", "exec(",
	"os.system", "subprocess.", "base64", "curl -", "curl http", "wget -", "wget http", "nc -", "; rm ", "> /dev/", "/etc/passwd", "~/.ssh", "drop table", "<script", "javascript:", "onerror=", "document.cookie",
}

func runsCommand(text string) bool {
	lower := strings.ToLower(text)
	for _, sign := range commands {
		if strings.Contains(lower, sign) {
			return true
		}
	}
	return false
}

package providers_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pamline/pamline/providers"
)

const manualHint = "--provider manual"

// smallPDF is a document whose bytes are all ASCII.
const smallPDF = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"

func utf16LE(s string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// A file of another format is called by its name, even when all its bytes are text. Only what
// --provider manual reads is said to be read by it.
func TestFilesOfOtherFormatsAreCalledByTheirNames(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"a PDF of ASCII", "a.pdf", smallPDF, "a PDF document"},
		{"a PDF under another name", "notes.txt", smallPDF, "a PDF document"},
		{"a PDF behind an empty line", "a", "\r\n" + smallPDF, "a PDF document"},
		{"a PDF behind other bytes", "a", "HTTP/1.1 200 OK\r\n\r\n" + smallPDF, "a PDF document"},
		{"a PDF of bytes", "a", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"},
		{"RTF", "a.rtf", "{\\rtf1\\ansi{\\fonttbl\\f0 Arial;}\\f0 Hello\\par}", "an RTF document"},
		{"RTF under the name of JSON", "a.json", "{\\rtf1 Hello}", "an RTF document"},
		{"PostScript", "a.ps", "%!PS-Adobe-3.0\n%%Pages: 1\nshowpage\n", "a PostScript document"},
		{"a mail", "a.eml", "Received: from a by b; Mon, 2 Jan 2026\r\n\twith ESMTP\r\nFrom: Mia <mia@example.org>\r\nTo: Tom\r\nSubject: Kites\r\n\r\nHello Tom\r\n", "an e-mail message"},
		{"a mailbox", "a.mbox", "From mia@example.org Mon Jan  2 10:00:00 2026\nFrom: Mia <mia@example.org>\nSubject: Kites\n\nHello\n", "a mailbox"},
		{"a web page", "a.html", "<!DOCTYPE html><html><body><p>Hello</p></body></html>", "a web page (HTML)"},
		{"a web page behind a comment", "a.html", "<!-- saved from url=(0014)about:internet -->\n<html><body>Hello</body></html>", "a web page (HTML)"},
		{"an archived web page", "a.mhtml", "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/\r\nSubject: Kites\r\nMIME-Version: 1.0\r\n\r\nx", "a web page (MHTML)"},
		{"a drawing", "a.svg", "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>", "a picture (SVG)"},
		{"Python", "a.py", "import os\n\ndef main():\n    for name in os.listdir('.'):\n        print(name)\n\nmain()\n", "source code"},
		{"Go", "a.go", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"x\")\n}\n", "source code"},
		{"JavaScript without a name", "script", "const a = 1;\nlet b = 2;\nconsole.log(a + b);\n", "source code"},
		{"C", "a.c", "#include <stdio.h>\n\nint main(void) {\n  puts(\"x\");\n  return 0;\n}\n", "source code"},
		{"a script", "run", "#!/bin/sh\necho hello\n", "source code"},
		{"CSV", "a.csv", "name,age\nMia,31\nTom,40\n", "a table (CSV)"},
		{"contacts", "a.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Mia\nEND:VCARD\n", "contacts (vCard)"},
		{"a calendar", "a.ics", "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n", "a calendar (iCalendar)"},
		{"a key", "id", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "a key or certificate"},
		{"an encrypted file", "a.asc", "-----BEGIN PGP MESSAGE-----\n\nAAAA\n", "an encrypted file; decrypt it first"},
		{"LaTeX", "a.tex", "\\documentclass{article}\n\\begin{document}\nHello\n\\end{document}\n", "a LaTeX document"},
		{"an old Office document", "a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "an Office document"},
		{"a picture", "a.gif", "GIF89a; all of it is ASCII", "a picture"},
		{"a list that breaks off in a text", "a.json", `["a","b`, "JSON that is cut off before its end (7 bytes)"},
		{"an object that breaks off behind a key", "a.json", `{"a":`, "JSON that is cut off before its end (5 bytes)"},
		{"an object that breaks off in a value", "a.json", "{\"a\":{\"b\":\"c\n", "JSON that is cut off before its end"},
		{"an object that is whole", "a.json", `{"a":"b"}`, "a JSON object with unknown keys (a)"},
		{"text behind a bracket", "a.md", "[Kites](https://example.org) are what I like.\n", "text that begins like JSON or markup, and is neither"},
		{"bytes", "a.bin", "\x01\x02\x03\x00", "not JSON, not markup and not text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := providers.Default().Detect(t.Context(), open(t, c.file, c.content), providers.Options{})
			var none *providers.UnrecognizedError
			if !errors.As(err, &none) {
				t.Fatalf("it was not refused: %v", err)
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), manualHint) {
				t.Errorf("the refusal does not say %q, or names %s: %v", c.want, manualHint, err)
			}
		})
	}
}

// What is said to be read by --provider manual is read by it.
func TestPlainTextIsReadByManualWhereThatIsSaid(t *testing.T) {
	for name, content := range map[string]string{
		"prose":                             "I like kites.\nI live in Graz.\n",
		"prose that speaks of a format":     "The header of a PDF is %PDF-1.4, and that of RTF is {\\rtf1.\n",
		"a list in Markdown":                "# What I know\n\n- You like kites (and tea).\n- You live in Graz.\n",
		"a dated line":                      "[2026-01-02] - Likes kites.\n",
		"a letter":                          "From: Graz\n\nDear Tom,\nthe kite flies.\n",
		"facts by name":                     "Name: Mia\nCity: Graz\nLikes: kites; tea\n",
		"Markdown with code in it":          "Use this:\n\n```go\nx := 1\n```\n\nIt sets x. Then go on with the next step, which is to print it. And then stop.\nThat is all.\nGood luck.\n",
		"text in UTF-16":                    utf16LE("I like kites.\nÜber alles.\n"),
		"a text with a mark of byte order":  "\xef\xbb\xbfI like kites.\n",
		"sentences that begin like a field": "Subject: kites\nBody: none\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := providers.Default().Detect(t.Context(), open(t, "answer.txt", content), providers.Options{})
			if err == nil || !strings.Contains(err.Error(), manualHint) {
				t.Fatalf("the refusal does not name %s: %v", manualHint, err)
			}
			d, err := providers.Default().Detect(t.Context(), open(t, "answer.txt", content), providers.Options{Importer: "manual"})
			if err != nil || len(d.Claims) != 1 {
				t.Errorf("manual does not read it: %v", err)
			}
		})
	}
}

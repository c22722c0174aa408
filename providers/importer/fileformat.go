package importer

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// signatures are how files of formats begin that hold no export. Some consist of ASCII, so that
// their bytes look like text. The first row that fits counts.
var signatures = []struct {
	at     int
	bytes  string
	format string
}{
	{0, "%PDF-", "a PDF document"},
	{0, "{\\rtf", "an RTF document"},
	{0, "%!PS", "a PostScript document"},
	{0, "\xc5\xd0\xd3\xc6", "a PostScript document"},
	{0, "%!", "a PostScript document"},
	{0, "AT&TFORM", "a DjVu document"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document or an Outlook message"},
	{0, sqliteMagic, "an SQLite database of no known program, or a damaged one"},
	{0, "PAR1", "a Parquet table"},
	{0, "bplist00", "a property list"},
	{0, "\x89PNG", "a picture"},
	{0, "\xff\xd8\xff", "a picture"},
	{0, "GIF87a", "a picture"},
	{0, "GIF89a", "a picture"},
	{8, "WEBP", "a picture"},
	{0, "II*\x00", "a picture"},
	{0, "MM\x00*", "a picture"},
	{0, "8BPS", "a picture"},
	{0, "/* XPM */", "a picture"},
	{8, "WAVE", "a recording"},
	{0, "ID3", "a recording"},
	{0, "OggS", "a recording"},
	{0, "fLaC", "a recording"},
	{0, "#!AMR", "a recording"},
	{8, "AVI ", "a film"},
	{4, "ftyp", "a picture, recording or film"},
	{0, "\x1aE\xdf\xa3", "a film"},
	{0, "PK\x03\x04", "a zip archive or an Office document that cannot be opened"},
	{0, "\x1f\x8b", "compressed data"},
	{0, "BZh", "compressed data"},
	{0, "\xfd7zXZ\x00", "compressed data"},
	{0, "(\xb5/\xfd", "compressed data"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and drop the folder"},
	{0, "Rar!\x1a\x07", "a RAR archive; unpack it and drop the folder"},
	{0, "\x7fELF", "a program"},
	{0, "MZ", "a program"},
	{0, "\xcf\xfa\xed\xfe", "a program"},
	{0, "\xca\xfe\xba\xbe", "a program"},
	{0, "\x00asm", "a program"},
	{0, "wOFF", "a font"},
	{0, "wOF2", "a font"},
	{0, "\x00\x01\x00\x00\x00", "a font"},
	{0, storeObject, "an encrypted object of a pamline store; pamline export writes what can be imported"},
	{0, "age-encryption.org/", "an encrypted file; decrypt it first"},
	{0, "-----BEGIN AGE ENCRYPTED", "an encrypted file; decrypt it first"},
	{0, "-----BEGIN PGP MESSAGE", "an encrypted file; decrypt it first"},
	{0, "-----BEGIN ", "a key or certificate"},
	{0, "ssh-rsa ", "a key or certificate"},
	{0, "ssh-ed25519 ", "a key or certificate"},
	{0, "BEGIN:VCARD", "contacts (vCard)"},
	{0, "BEGIN:VCALENDAR", "a calendar (iCalendar)"},
	{0, "[InternetShortcut]", "a link to a web page"},
	{0, "diff --git ", "a patch"},
	{0, "-- MySQL dump", "a database dump"},
	{0, "-- PostgreSQL database dump", "a database dump"},
	{0, "--\n-- PostgreSQL database dump", "a database dump"},
	{0, "PRAGMA foreign_keys=", "a database dump"},
	{0, "WEBVTT", "subtitles"},
	{0, "\\documentclass", "a LaTeX document"},
	{0, "\\input texinfo", "a TeX document"},
	{0, "<?xml", ""}, // told by its first element
}

// maxPDFLead is how far the mark of a PDF document may be from its start: readers accept bytes
// before it.
const maxPDFLead = 1024

// maxJudged is how many bytes of a file decide about its format.
const maxJudged = 16 << 10

// FormatTable is the name of tables as text.
const FormatTable = "a table (CSV)"

// storeObject begins an object of an encrypted store of pamline (blob/sealed has the format).
const storeObject = "pamline sealed\x00"

// IsStoreObject tells whether a file is an object of an encrypted store of pamline.
func IsStoreObject(prefix []byte) bool { return bytes.HasPrefix(prefix, []byte(storeObject)) }

// FormatOf names the format of a file by its first bytes: "a PDF document". It is "" for plain text
// and for what is not known. Formats that are text and say something in words, such as mail and
// source code, are named as well.
func FormatOf(prefix []byte) string {
	prefix = prefix[:min(len(prefix), maxJudged)]
	for _, s := range signatures {
		if s.format != "" && len(prefix) >= s.at && bytes.HasPrefix(prefix[s.at:], []byte(s.bytes)) {
			return s.format
		}
	}
	head, ok := textOf(prefix)
	if isPDF(prefix) {
		return "a PDF document"
	}
	if !ok {
		return ""
	}
	head = strings.TrimLeft(head, " \t\r\n")
	for _, s := range signatures {
		if s.format != "" && s.at == 0 && strings.HasPrefix(head, s.bytes) {
			return s.format
		}
	}
	switch {
	case strings.HasPrefix(head, "<"):
		return markupFormat(head)
	case isMail(head):
		if strings.Contains(head, "Snapshot-Content-Location:") {
			return "a web page (MHTML)"
		}
		return "an e-mail message"
	case strings.HasPrefix(head, "From ") && isMail(head[lineLength(head):]):
		return "a mailbox"
	case isTable(head):
		return FormatTable
	case isCode(head):
		return "source code"
	}
	return ""
}

// textOf gives the first bytes of a file as text, ok false for bytes that are none.
func textOf(prefix []byte) (text string, ok bool) {
	head := decodeHead(prefix)
	for n := 0; n < utf8.UTFMax-1 && len(head) > 0 && !utf8.Valid(head); n++ {
		head = head[:len(head)-1] // the last character may be cut
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	return string(head), isText(head)
}

// IsText tells whether the first bytes of a file, in UTF-8 or UTF-16, are text with something in
// it. whole: they are all of the file, so that its last character is not cut.
func IsText(prefix []byte, whole bool) bool {
	if whole {
		return isText(HeadUTF8(prefix))
	}
	_, ok := textOf(prefix)
	return ok
}

func isText(head []byte) bool {
	if !utf8.Valid(head) || len(bytes.TrimSpace(head)) == 0 {
		return false
	}
	return !bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' })
}

// isPDF recognizes a PDF document behind bytes that do not belong to it.
func isPDF(prefix []byte) bool {
	lead := prefix[:min(len(prefix), maxPDFLead)]
	at := bytes.Index(lead, []byte("%PDF-"))
	if at < 0 || at+8 > len(prefix) {
		return false
	}
	version := prefix[at+5 : at+8]
	if version[0] < '1' || version[0] > '2' || version[1] != '.' {
		return false
	}
	return len(bytes.TrimSpace(lead[:at])) == 0 || bytes.Contains(prefix[at:], []byte(" obj"))
}

// markupFormat names a kind of markup by its first element.
func markupFormat(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case strings.HasPrefix(text, "<?"):
			_, rest, found := strings.Cut(text, "?>")
			if !found {
				return "an XML document"
			}
			text = rest
			continue
		case strings.HasPrefix(text, "<!--"):
			_, rest, found := strings.Cut(text, "-->")
			if !found {
				return "markup"
			}
			text = rest
			continue
		}
		break
	}
	lower := strings.ToLower(text[:min(len(text), 200)])
	for _, m := range []struct{ start, format string }{
		{"<!doctype html", "a web page (HTML)"}, {"<html", "a web page (HTML)"}, {"<head", "a web page (HTML)"}, {"<body", "a web page (HTML)"},
		{"<svg", "a picture (SVG)"}, {"<!doctype svg", "a picture (SVG)"},
		{"<rss", "a news feed"}, {"<feed", "a news feed"}, {"<!doctype plist", "a property list"}, {"<plist", "a property list"},
		{"<!doctype netscape-bookmark", "bookmarks"},
	} {
		if strings.HasPrefix(lower, m.start) {
			return m.format
		}
	}
	return "markup"
}

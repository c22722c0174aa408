package archive

import (
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// cleanName brings a member's name to slashes and takes "." and empty elements out. reason is set
// for a name that must not be used even as a label. A name that ends in a slash keeps none: ask
// isDir first.
func cleanName(raw string, maxLength int) (name, reason string) {
	if !utf8.ValidString(raw) {
		// Names without the UTF-8 flag are in the code page of old DOS, if in anything.
		raw, _ = charmap.CodePage437.NewDecoder().String(raw)
	}
	s := strings.ReplaceAll(raw, `\`, "/")
	switch {
	case len(s) > maxLength:
		return "", "the name is too long"
	case strings.ContainsRune(s, 0):
		return "", "the name holds a NUL"
	case strings.HasPrefix(s, "/"):
		return "", "the name is an absolute path"
	case len(s) >= 2 && s[1] == ':' && isLetter(s[0]):
		return "", "the name starts with a drive"
	}
	for e := range strings.SplitSeq(s, "/") {
		if e == ".." {
			return "", "the name leads out of the archive"
		}
	}
	if s = path.Clean(s); s == "." {
		return "", "the name is empty"
	}
	return s, ""
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDir(raw string) bool { return strings.HasSuffix(raw, "/") || strings.HasSuffix(raw, `\`) }

// junkNames are files that operating systems leave in folders, in lower case.
var junkNames = map[string]bool{
	".ds_store": true, "thumbs.db": true, "desktop.ini": true, "ehthumbs.db": true, ".localized": true,
}

func isJunk(name string) bool {
	if strings.HasPrefix(name, "__MACOSX/") || strings.Contains(name, "/__MACOSX/") {
		return true
	}
	base := strings.ToLower(path.Base(name))
	return junkNames[base] || strings.HasPrefix(base, "._") && strings.Contains(name, "__MACOSX")
}

// mayNest tells whether a member is a zip by its name. Only such members are looked into, for two
// reasons: looking into every member of a big archive costs a request each, and documents (docx,
// epub, jar) and uploads are zips too. An upload that is called .zip is known by the name or folder
// that providers give uploads: it is a file of a conversation as a whole, and an export inside of
// it is not the one that was dropped.
func mayNest(name string) bool {
	return strings.EqualFold(path.Ext(name), ".zip") && !upload.MatchString(name)
}

var upload = regexp.MustCompile(`(^|/)(file[-_][0-9A-Za-z]{20,}[-._][^/]*|uploads/[0-9a-f]{8}-[0-9a-f-]{27}_[^/]*|chat-[0-9a-f]{8}-[0-9a-f-]{27}-files/.*|prod-mc-asset-server/.*)$`)

// baseLabel is the last element of a path of any system.
func baseLabel(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if name = path.Base(name); name == "." || name == "/" {
		return "file"
	}
	return name
}

package gemini

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// products are the names of Gemini as a header or a list of products has them, in all languages. A
// name must be equal: a row of YouTube that speaks of Gemini is none of Gemini.
var products = []string{
	"Gemini Apps", "Gemini", "Bard", "Gemini in Google Messages", // en
	"Gemini-Apps",                          // de, nl, da
	"Gemini-apps",                          // nl
	"Gemini-appar",                         // sv
	"Gemini-apper",                         // nb
	"Gemini-sovellukset",                   // fi
	"Gemini アプリ",                           // ja
	"Εφαρμογές Gemini",                     // el
	"Applications Gemini", "Applis Gemini", // fr
	"Aplicaciones de Gemini", "Apps de Gemini", // es, pt
	"Apps do Gemini", "Apps Gemini", "Gemini apps", // pt, it
	"App Gemini", "App di Gemini", // it
	"Gemini Uygulamaları",                    // tr
	"Aplikacje Gemini",                       // pl
	"Aplicațiile Gemini", "Aplicații Gemini", // ro
	"Приложения Gemini",                       // ru
	"Gemini 应用", "Gemini 應用程式", "Gemini 应用程序", // zh
	"Gemini 앱",            // ko
	"تطبيقات Gemini",      // ar
	"Aplikace Gemini",     // cs
	"Gemini-alkalmazások", // hu
	"Aplikasi Gemini",     // id
}

// aiMode is the header of another log of the same form.
const aiMode = "AI Mode"

// isGemini tells whether a text is a name of Gemini.
func isGemini(s string) bool { return slices.Contains(products, strings.TrimSpace(foldSpaces(s))) }

// hosts are those of Gemini's own pages.
var hosts = []string{"gemini.google.com", "bard.google.com"}

// conversationPath is the path of a conversation: that of a Gem or of a shared page is none.
var conversationPath = regexp.MustCompile(`^(?:/u/[0-9]+)?/app/(?:c/)?(?:c_)?([A-Za-z0-9_-]{1,128})/?$`)

// ofGemini tells whether a link leads to Gemini.
func ofGemini(link string) bool {
	_, ok := parseGemini(link)
	return ok
}

// parseGemini takes a link to Gemini apart.
func parseGemini(link string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(link))
	return u, err == nil && (u.Scheme == "https" || u.Scheme == "http") && slices.Contains(hosts, strings.ToLower(u.Host))
}

// conversationOf gives the id of the conversation that a link leads to, "" for any other link.
func conversationOf(link string) string {
	if len(link) > maxLink || !strings.Contains(link, "/app/") {
		return ""
	}
	u, ok := parseGemini(link)
	if !ok {
		return ""
	}
	if m := conversationPath.FindStringSubmatch(u.EscapedPath()); m != nil {
		return m[1]
	}
	return ""
}

// maxLink is how long a link to a conversation may be, in bytes.
const maxLink = 4096

// webLink tells whether a link is an absolute one of the web.
func webLink(link string) bool {
	return strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://")
}

// spaces are what Google puts in the place of a space.
var spaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2007", " ")

// foldSpaces makes every kind of space a space.
func foldSpaces(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return spaces.Replace(s)
		}
	}
	return s
}

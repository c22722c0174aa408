package geminiworkspace

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/htmlmd"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// formatPage is the export_format_version of a chat of NotebookLM.
const formatPage = "notebooklm"

// pageSchema is the mapping of what a page is read as:
//
//	{"html":"…","title":"…","turns":[{"who":"USER","text":"Markdown"}]}
//
// html stays in raw_metadata; bytes has the page in base64 when it is not UTF-8.
var pageSchema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/title", Slot: lossless.Title},
		{Path: "/turns", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/who", Slot: lossless.Role, Form: lossless.Roles(normalize.RoleUser, pageUser, normalize.RoleAssistant, pageModel)},
		{Path: "/text", Slot: lossless.Text},
	},
}

// How a page calls the speakers.
const (
	pageUser  = "USER"
	pageModel = "MODEL"
)

// speaker is the beginning of a line with which somebody begins to speak.
var speaker = regexp.MustCompile(`^[*_ ]*(USER|MODEL):[*_ ]*`)

// marked is the same where it stands in a page.
var marked = regexp.MustCompile(`>\s*(USER|MODEL):`)

// isPage tells whether a page of markup is a chat of NotebookLM: both speak in it, or one does and
// the file is named as a session is.
func isPage(base string, prefix []byte) bool {
	if !bytes.Contains(prefix, []byte("USER:")) && !bytes.Contains(prefix, []byte("MODEL:")) || bytes.Contains(prefix, []byte("outer-cell")) { // that is Takeout's activity
		return false
	}
	seen := map[string]bool{}
	for _, g := range marked.FindAllSubmatch(prefix, -1) {
		seen[string(g[1])] = true
	}
	return len(seen) == 2 || len(seen) == 1 && sessionID.MatchString(base)
}

// said is what one of the two said.
type said struct{ who, text string }

func decodePage(u importer.Unit) ([]importer.Item, error) {
	limits := u.Limits.WithDefaults()
	if int64(len(u.Raw)) > limits.MaxConversation {
		return nil, lossless.Fail(u, lossless.CodeTooBig, "the page has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", len(u.Raw), limits.MaxConversation)
	}
	title, turns := readPage(u.Raw)
	if len(turns) == 0 {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the page has no paragraph that begins with USER: or MODEL:")
	}
	if title == "" {
		title = notebook(u.Member.Name)
	}
	read := u
	read.Raw = pageJSON(u.Raw, title, turns)
	read.Limits.MaxConversation = int64(len(read.Raw)) // the page itself is within the limit
	src, err := lossless.Parse(read)
	if err != nil {
		return nil, err
	}
	b := pageSchema.New(src, Provider)
	b.Doc.Provider.ExportFormatVersion = formatPage
	b.Note("source_app", formatPage)
	namePage(b, u.Member.Name, turns[0].text)
	b.Title(src.Root.Get("title"))
	i := 0
	for n := range src.Root.Get("turns").Items() {
		role := normalize.RoleUser
		if turns[i].who == pageModel {
			role = normalize.RoleAssistant
		}
		b.Item("/turns", i, n).Add("", role).Text(n.Get("text").Str())
		i++
	}
	return b.Items()
}

func pageJSON(page []byte, title string, turns []said) []byte {
	out := pamio.AppendString([]byte(`{"html":`), strings.ToValidUTF8(string(page), "\uFFFD"))
	if !utf8.Valid(page) {
		out = base64.StdEncoding.AppendEncode(append(out, `,"bytes":"`...), page)
		out = append(out, '"')
	}
	if title != "" {
		out = pamio.AppendString(append(out, `,"title":`...), title)
	}
	out = append(out, `,"turns":[`...)
	for i, t := range turns {
		if i > 0 {
			out = append(out, ',')
		}
		out = pamio.AppendString(append(out, `{"who":`...), t.who)
		out = pamio.AppendString(append(out, `,"text":`...), t.text)
		out = append(out, '}')
	}
	return append(out, "]}"...)
}

// pageTitle is the title of a page. Its length is checked by maxTitle: a count in the expression
// would be compiled into a thousand steps at each start of the program.
var pageTitle = regexp.MustCompile(`(?is)<title[^>]*>([^<]+)</title>`)

// maxTitle is how many characters a title has at most.
const maxTitle = 1000

// readPage gives the title of a page and what was said in it, as Markdown. What stands before the
// first speaker is kept in the page only.
func readPage(page []byte) (title string, turns []said) {
	if g := pageTitle.FindSubmatch(page); g != nil && utf8.RuneCount(g[1]) <= maxTitle {
		title = strings.TrimSpace(html.UnescapeString(strings.ToValidUTF8(string(g[1]), "\uFFFD")))
	}
	var text []string // lines of the one who speaks
	end := func() {
		if len(turns) > 0 {
			turns[len(turns)-1].text = strings.Trim(strings.Join(text, "\n"), "\n")
		}
		text = text[:0]
	}
	fenced := false
	for line := range strings.SplitSeq(htmlmd.Convert(string(page)), "\n") {
		if g := speaker.FindStringSubmatchIndex(line); g != nil && !fenced {
			end()
			turns = append(turns, said{who: line[g[2]:g[3]]})
			line = line[g[1]:]
		}
		if strings.HasPrefix(strings.TrimLeft(line, " >"), "```") {
			fenced = !fenced
		}
		text = append(text, line)
	}
	end()
	return title, turns
}

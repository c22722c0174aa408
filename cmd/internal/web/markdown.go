package web

import (
	"bytes"
	"html/template"
	"net/url"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// maxMarkdown is the longest text that is read as Markdown. A longer one is shown as it is.
const maxMarkdown = 128 << 10

// reader reads Markdown without raw HTML. What it writes is sanitized all the same.
var reader = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(plainLinks{}, 100))),
)

var sanitizer = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "span", "mark")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	p.AllowRelativeURLs(false)
	return p
})

// renderMarkdown is a text as HTML that loads nothing and runs nothing.
func renderMarkdown(source string) template.HTML {
	return template.HTML(markdownOf(withoutSigns(source))) //nolint:gosec // it is sanitized or escaped
}

// renderMarked is a text as HTML with a part of it marked, in code points; ok is false where that
// does not go, for example because the part is the address of a link.
func renderMarked(source string, s span) (text template.HTML, ok bool) {
	runes := []rune(source)
	if s.end <= s.start || s.end > len(runes) || strings.ContainsAny(source, "\ue010\ue011\ue012\ue013") {
		return "", false
	}
	html := markdownOf(string(runes[:s.start]) + string(markStart) + string(runes[s.start:s.end]) + string(markEnd) + string(runes[s.end:]))
	marked, ok := markBetween(html)
	return template.HTML(marked), ok //nolint:gosec // it is sanitized or escaped
}

func markdownOf(source string) string {
	var out bytes.Buffer
	if len(source) <= maxMarkdown {
		text, formulas := cutFormulas(source)
		if err := reader.Convert([]byte(text), &out); err == nil {
			return putFormulas(string(sanitizer().SanitizeBytes(out.Bytes())), formulas)
		}
	}
	return `<pre tabindex="0">` + template.HTMLEscapeString(source) + "</pre>"
}

// markBetween marks the text between the two signs in HTML, whatever elements it goes through.
func markBetween(source string) (string, bool) {
	var b strings.Builder
	inside, found := false, 0
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return b.String(), found == 2 && !inside
		}
		raw := string(z.Raw())
		if kind != html.TextToken {
			if strings.ContainsAny(raw, "\ue012\ue013") {
				return "", false
			}
			b.WriteString(raw)
			continue
		}
		for raw != "" {
			at := strings.IndexAny(raw, "\ue012\ue013")
			part := raw
			if at >= 0 {
				part = raw[:at]
			}
			if inside && strings.TrimSpace(part) != "" {
				part = "<mark>" + part + "</mark>"
			}
			b.WriteString(part)
			if at < 0 {
				break
			}
			inside = strings.HasPrefix(raw[at:], string(markStart))
			raw = raw[at+len(string(markStart)):]
			found++
		}
	}
}

// plainLinks makes links of images, and puts the host behind the words of a link that does not show
// it.
type plainLinks struct{}

func (plainLinks) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	var images []*ast.Image
	var links []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Image:
				images = append(images, n)
			case *ast.Link:
				links = append(links, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, image := range images {
		link := ast.NewLink()
		link.Destination = image.Destination
		for child := image.FirstChild(); child != nil; {
			next := child.NextSibling()
			link.AppendChild(link, child)
			child = next
		}
		image.Parent().ReplaceChild(image.Parent(), image, link)
		links = append(links, link)
	}
	for _, link := range links {
		link.Title = nil
		if host := hostOf(string(link.Destination)); host != "" && !strings.Contains(string(plainText(link, r.Source())), host) {
			link.AppendChild(link, ast.NewString([]byte(" ("+host+")")))
		}
	}
}

// plainText is the text of the inline nodes below a node.
func plainText(n ast.Node, source []byte) (out []byte) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			out = append(out, t.Segment.Value(source)...)
		}
		return ast.WalkContinue, nil
	})
	return out
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

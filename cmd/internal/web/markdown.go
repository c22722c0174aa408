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
	if len(source) > maxMarkdown {
		return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>") //nolint:gosec // it is escaped
	}
	var out bytes.Buffer
	if err := reader.Convert([]byte(source), &out); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>") //nolint:gosec // it is escaped
	}
	return template.HTML(sanitizer().SanitizeBytes(out.Bytes())) //nolint:gosec // that is what the sanitizer is for
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

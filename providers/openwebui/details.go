package openwebui

import (
	"html"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// The content of an answer may have markup in it that Open WebUI makes of what a model thought and
// of the tools that it called:
//
//	<details type="reasoning" done="true" duration="5">
//	<summary>Thought for 5 seconds</summary>
//	&gt; First line
//	&gt; second line
//	</details>
//	The answer.
//	<details type="tool_calls" done="true" id="call_1" name="search" arguments="&quot;{\&quot;q\&quot;: 1}&quot;" result="…">
//	<summary>Tool Executed</summary>
//	</details>
//
// Before the element is divided, such a content is cut into blocks, and only if the blocks put
// together are the content again:
//
//	{"$blocks":[{"type":"thought","open":"<details …>\n<summary>…</summary>\n","form":"quoted escaped","thought":"First line\nsecond line","close":"\n</details>\n"},
//	            {"type":"text","text":"The answer.\n"},
//	            {"type":"call","around":["<details … id=\"","\" name=\"",…],"order":["id","name",…],"id":"call_1","name":"search","arguments":"…",…}]}
const (
	keyBlocks    = "$blocks"
	detailsOpen  = "<details type=\""
	detailsClose = "</details>"
)

// block is a piece of a content.
type block struct {
	text string // plain; of a thought, what was thought
	// thought
	open, form, close string
	// tool call
	around []string
	values []value
}

// cutContent cuts a content into blocks; ok is false when there is no markup in it.
func cutContent(content string) (blocks []block, ok bool) {
	plain, end, misfits := 0, 0, 0
	for at := 0; misfits < maxMisfits && len(blocks) <= maxBlocks; {
		i := strings.Index(content[at:], detailsOpen)
		if i < 0 {
			break
		}
		i += at
		at = i + len(detailsOpen)
		if i > 0 && content[i-1] != '\n' {
			continue
		}
		if end <= i { // else the one that was found before is the next one still
			n := strings.Index(content[i:], detailsClose)
			if n < 0 {
				break
			}
			if end = i + n + len(detailsClose); end < len(content) && content[end] == '\n' {
				end++
			}
		}
		b, fits := cutDetails(content[i:end])
		if !fits {
			misfits++
			continue
		}
		if plain < i {
			blocks = append(blocks, block{text: content[plain:i]})
		}
		blocks = append(blocks, b)
		plain, at = end, end
	}
	if len(blocks) == 0 || len(blocks) > maxBlocks {
		return nil, false
	}
	if plain < len(content) {
		blocks = append(blocks, block{text: content[plain:]})
	}
	return blocks, true
}

// maxBlocks is the number of blocks in one content that are cut; a content with more stays as it
// is. maxMisfits is how often markup is looked at that is not of these kinds; what is behind it
// stays text.
const (
	maxBlocks  = 1000
	maxMisfits = 32
)

func cutDetails(markup string) (block, bool) {
	switch {
	case strings.HasPrefix(markup, detailsOpen+`reasoning"`):
		return cutThought(markup)
	case strings.HasPrefix(markup, detailsOpen+`tool_calls"`):
		return cutCall(markup)
	}
	return block{}, false
}

const summaryClose = "</summary>\n"

func cutThought(markup string) (block, bool) {
	from := strings.Index(markup, summaryClose)
	to := strings.LastIndex(markup, detailsClose)
	if from < 0 || to < from+len(summaryClose) {
		return block{}, false
	}
	from += len(summaryClose)
	if to > from && markup[to-1] == '\n' {
		to--
	}
	b := block{open: markup[:from], close: markup[to:]}
	for _, form := range []string{formQuotedEscaped, formQuoted, ""} {
		b.form, b.text = form, unquote(markup[from:to], form)
		if quote(b.text, form) == markup[from:to] {
			return b, true
		}
	}
	return b, false
}

// Forms of a thought in the markup: "" is verbatim.
const (
	formQuoted        = "quoted"
	formQuotedEscaped = "quoted escaped"
)

// quote writes a thought as the server does: "> " before each line that does not begin with ">".
func quote(text, form string) string {
	if form == "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, ">") {
			lines[i] = "> " + l
		}
	}
	text = strings.Join(lines, "\n")
	if form == formQuotedEscaped {
		text = escape(text)
	}
	return text
}

func unquote(text, form string) string {
	if form == "" {
		return text
	}
	if form == formQuotedEscaped {
		text = html.UnescapeString(text)
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "> ")
	}
	return strings.Join(lines, "\n")
}

// escape writes what has a meaning in HTML as Python's html.escape does.
func escape(s string) string { return pythonEscapes.Replace(s) }

var pythonEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;")

// append writes a block as JSON.
func (b block) append(dst []byte) []byte {
	field := func(key, v string) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = pamio.AppendString(append(pamio.AppendString(dst, key), ':'), v)
	}
	list := func(key string, n int, at func(int) string) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(pamio.AppendString(dst, key), ':', '[')
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = pamio.AppendString(dst, at(i))
		}
		dst = append(dst, ']')
	}
	dst = append(dst, '{')
	switch {
	case b.around != nil:
		field("type", "call")
		list("around", len(b.around), func(i int) string { return b.around[i] })
		list("order", len(b.values), func(i int) string { return b.values[i].key })
		list("forms", len(b.values), func(i int) string { return b.values[i].form })
		for _, v := range b.values {
			field(v.key, v.text)
		}
	case b.open != "":
		field("type", "thought")
		field("open", b.open)
		field("form", b.form)
		field("thought", b.text)
		field("close", b.close)
	default:
		field("type", "text")
		field("text", b.text)
	}
	return append(dst, '}')
}

// markup writes a block of an element as it stands in the content.
func markup(n jsonscan.Node) string {
	switch n.Get("type").Str() {
	case "call":
		return callMarkup(n)
	case "thought":
		return n.Get("open").Str() + quote(n.Get("thought").Str(), n.Get("form").Str()) + n.Get("close").Str()
	}
	return n.Get("text").Str()
}

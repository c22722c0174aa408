package claudecode

import "github.com/pamline/pamline/pamio/jsonscan"

// maxTitle bounds a title, in bytes of JSON: it stands in its line, too, which is kept.
const maxTitle = 400

// title is the name of a session: the last one that the person gave, else the last one that the
// program made, else the last summary of one of its own messages, else the last summary. Summaries
// of another session stand at the start of one that was resumed from it.
func title(lines jsonscan.Node, own map[string]bool) (title *string, from string) {
	var custom, made, summary, foreign jsonscan.Node
	usable := func(n jsonscan.Node) bool {
		return n.Kind() == jsonscan.String && !n.Is("") && len(n.Raw()) <= maxTitle
	}
	for line := range lines.Items() {
		switch t := line.Get("type"); {
		case t.Is("custom-title") && usable(line.Get("customTitle")):
			custom = line.Get("customTitle")
		case t.Is("ai-title") && usable(line.Get("aiTitle")):
			made = line.Get("aiTitle")
		case t.Is("summary") && usable(line.Get("summary")) && own[line.Get("leafUuid").Str()]:
			summary = line.Get("summary")
		case t.Is("summary") && usable(line.Get("summary")):
			foreign = line.Get("summary")
		}
	}
	for _, t := range []struct {
		n    jsonscan.Node
		from string
	}{{custom, "custom-title"}, {made, "ai-title"}, {summary, "summary"}, {foreign, "summary-of-another-session"}} {
		if t.n.Exists() {
			text := t.n.Str()
			return &text, t.from
		}
	}
	return nil, ""
}

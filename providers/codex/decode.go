package codex

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeUnit makes the document of one session log with the record of its instructions, or the
// record or account of another file.
func (r reader) decodeUnit(u importer.Unit) ([]importer.Item, error) {
	if u.Role == roleInstruction {
		return localapp.RecordText(u, importer.RecordInstruction), nil
	}
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	if k := src.Root.Kind(); k != jsonscan.Array && (k != jsonscan.Object || src.Root.Get("items").Kind() != jsonscan.Array) {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the log is not a list of lines")
	}
	l := readLog(src.Root, r.old)
	items, err := session(src, l, u.Member.Name)
	return append(items, l.instructions()...), err
}

func session(src *lossless.Source, l *log, member string) ([]importer.Item, error) {
	b := schemaOf(l.generation).New(src, provider)
	b.Doc.Provider.ExportFormatVersion = l.generation
	b.Note("source_app", sourceApp)
	name(b, l, member)
	if t := l.head.Get("timestamp"); t.Exists() {
		b.Created = b.Time(t)
	}
	if _, at := named(member); at != normalize.Epoch {
		b.Fallback, b.FallbackFrom = at, "file_name"
	}
	events := !l.hasMessages()
	model := ""
	for i, e := range l.entries {
		at := normalize.Epoch
		if t := e.line.Get("timestamp"); t.Exists() && e.kind != "header" {
			if at = b.Time(t); at.Compare(b.Updated) > 0 {
				b.Updated = at
			}
		}
		if m := e.body.Get("model"); (e.kind == "turn_context" || e.kind == "settings") && m.Kind() == jsonscan.String && len(m.Raw()) <= maxModel {
			model = m.Str()
			b.Doc.Model = model
		}
		if t := e.body.Get("thread_name"); e.kind == "event_msg" && e.body.Get("type").Is("thread_name_updated") && len(t.Raw()) <= maxTitle {
			b.Title(t)
		}
		r := entryReader{b: b, e: e, at: i, container: l.container}
		switch {
		case l.generation == genExec:
			r.threadEvent(l.completed)
		case l.generation == genEvents && e.kind == "event_msg":
			r.printedEvent()
		case e.item:
			r.item()
		case e.kind == "compacted":
			r.plain(normalize.RoleSystem, e.body.Get("message"))
		case e.kind == "event_msg" && events:
			r.event()
		case !otherKinds[e.kind]:
			b.Unknown("unknown_line")
		}
		r.finish(at, model, l.generation)
	}
	return b.Items()
}

// Bounds of texts that stand in their lines, too, in bytes of JSON.
const (
	maxModel = 100
	maxTitle = 400
)

func pointer(i int) string { return "/" + strconv.Itoa(i) }

package claudecode

import (
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeUnit makes the document of one session log, or the record or account of another file.
func (r reader) decodeUnit(u importer.Unit) ([]importer.Item, error) {
	switch u.Role {
	case roleMemory:
		return memoryFile(u), nil
	case roleInstruction:
		return localapp.RecordText(u, importer.RecordInstruction), nil
	case roleMeta:
		return meta(u)
	}
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	l := log{lines: src.Root, schema: logSchema, member: u.Member.Name, old: r.old}
	switch {
	case r.old:
		l.schema = schema
	case u.Role == roleWrapped:
		l.lines, l.schema, l.container = src.Root.Get(keyLines), wrappedSchema, "/"+keyLines
	}
	if l.lines.Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the log is not a list of lines")
	}
	mute := true
	for line := range l.lines.Items() {
		mute = mute && !isMessage(line)
	}
	if mute {
		return withoutMessages(src.Root, l.lines), nil
	}
	return session(src, l)
}

// log is a session as its file has it.
type log struct {
	lines     jsonscan.Node
	schema    *lossless.Schema
	container string // path of the lines
	member    string
	old       bool // read by 2026.11
}

func session(src *lossless.Source, l log) ([]importer.Item, error) {
	lines := l.lines
	b := l.schema.New(src, provider)
	b.Note("source_app", sourceApp)
	d := identify(lines)
	l.name(b, d)
	if d.agent != "" {
		b.Note("parent", d.session)
	}
	if len(d.others) > 0 {
		list := []byte{'['}
		for i, s := range d.others {
			if i > 0 {
				list = append(list, ',')
			}
			list = pamio.AppendString(list, s)
		}
		b.NoteJSON("repeats_sessions", append(list, ']'))
	}
	b.Doc.Provider.ExportFormatVersion = generation(lines)
	if l.container != "" {
		b.Doc.Provider.ExportFormatVersion = formatWrapped
	}
	s := newSession(b, l)
	s.messages(lines)
	s.links()
	name, from := title(lines, s.own())
	if b.Doc.Title = name; name != nil {
		b.Note("title_source", from)
	} else if given := src.Root.Get("title"); l.container != "" && len(given.Raw()) <= maxTitle {
		b.Title(given)
	}
	return b.Items()
}

// sessionReader makes the messages of one session.
type sessionReader struct {
	b      *lossless.Builder
	log    log
	nodes  map[string]*lossless.Object // by uuid, the first of each
	order  []*lossless.Object
	counts map[string]int // by message.id: the line that has the tokens of the answer
}

func newSession(b *lossless.Builder, l log) *sessionReader {
	s := &sessionReader{b: b, log: l, nodes: map[string]*lossless.Object{}, counts: map[string]int{}}
	i := 0
	for line := range l.lines.Items() {
		// One answer is written as several lines, each with the tokens so far; the last has all.
		if id := line.Get("message").Get("id"); id.Kind() == jsonscan.String {
			s.counts[id.Str()] = i
		}
		i++
	}
	return s
}

// messages makes an object of each line that has a place in the thread, with messages where it
// carries any.
func (s *sessionReader) messages(lines jsonscan.Node) {
	i := -1
	for line := range lines.Items() {
		i++
		if t := line.Get("timestamp"); t.Exists() {
			if at := s.b.Time(t); at.Compare(s.b.Updated) > 0 {
				s.b.Updated = at
			}
		}
		id := line.Get("uuid")
		named := id.Kind() == jsonscan.String && !id.Is("")
		if !named && !isMessage(line) {
			s.unknownLine(line)
			continue
		}
		o := s.b.Item(s.log.container, i, line)
		s.order = append(s.order, o)
		if named && s.nodes[id.Str()] == nil {
			s.nodes[id.Str()] = o
		}
		if !isMessage(line) {
			s.unknownLine(line)
			continue
		}
		name := "line:" + strconv.Itoa(i)
		if named {
			name = id.Str()
		}
		m := lineReader{b: s.b, o: o, line: line, id: name}
		m.read()
		main := m.main
		main.Time = s.b.Time(line.Get("timestamp"))
		if s.last(line, i) {
			main.TokenCount = importer.Count(line.Get("message").Get("usage").Get("output_tokens"))
		}
	}
}

func (s *sessionReader) unknownLine(line jsonscan.Node) {
	if t := line.Get("type").Str(); !silent[t] && (s.log.old || !silentSince202612[t]) {
		s.b.Unknown("unknown_line")
	}
}

// last tells whether a line is the last one of its answer.
func (s *sessionReader) last(line jsonscan.Node, i int) bool {
	id := line.Get("message").Get("id")
	return id.Kind() != jsonscan.String || s.counts[id.Str()] == i
}

// links sets the parents that the lines name. Behind a compaction the parent is null; the thread
// goes on from the logical one.
func (s *sessionReader) links() {
	for _, o := range s.order {
		parent, logical := o.Node().Get("parentUuid"), o.Node().Get("logicalParentUuid")
		switch {
		case parent.Kind() == jsonscan.String:
			o.Parent(s.nodes[parent.Str()])
		case parent.Exists() && s.nodes[logical.Str()] != nil:
			o.Parent(s.nodes[logical.Str()])
		case parent.Exists():
			o.Root()
		}
	}
}

// own are the uuids of the session's lines.
func (s *sessionReader) own() map[string]bool {
	own := make(map[string]bool, len(s.nodes))
	for id := range s.nodes {
		own[id] = true
	}
	return own
}

package claude

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeMemories reads what Claude remembers of the person, in any of its forms:
//
//   - an object with a text for all conversations (conversations_memory), texts by project
//     (project_memories) and files (memory_files), any of which may be missing;
//   - an entry with a text under memory, content or text;
//   - a bare text.
//
// A text, a project and a file are a record each.
func decodeMemories(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if root.Kind() == jsonscan.String {
		r := record(u, importer.RecordMemory, "", root)
		r.Text, r.AccountID = root.Str(), memoryAccount(u, root)
		return records(r), nil
	}
	if root.Kind() != jsonscan.Object || root.Len() == 0 {
		return nil, lossless.Fail(u, "not_a_memory", "the element is neither a text nor an object with memories")
	}
	if text, ok := entryText(root); ok {
		return records(memoryEntry(u, "", root, text)), nil
	}
	s := &memorySet{u: u, root: root, account: memoryAccount(u, root)}
	s.projects(root.Get("project_memories"))
	s.files(root.Get("memory_files"))
	return s.main(), nil
}

// entryText is the text of an entry of a list.
func entryText(n jsonscan.Node) (string, bool) {
	for _, key := range []string{"conversations_memory", "project_memories", "memory_files"} {
		if n.Get(key).Exists() {
			return "", false
		}
	}
	for _, key := range []string{"memory", "content", "text"} {
		if t := n.Get(key); t.Kind() == jsonscan.String {
			return t.Str(), true
		}
	}
	return "", false
}

// memoryEntry is the record of an entry. A file's path is its id.
func memoryEntry(u importer.Unit, below string, n jsonscan.Node, text string) *importer.Record {
	r := record(u, importer.RecordMemory, below, n)
	r.Text, r.AccountID = text, memoryAccount(u, n)
	for _, key := range []string{"uuid", "id", "path"} {
		if id := n.Get(key).Str(); id != "" && r.ID == "" {
			r.ID = id
		}
	}
	r.CreatedAt, r.UpdatedAt = when(n.Get("created_at")), when(n.Get("updated_at"))
	return r
}

// memorySet is an object with memories of several kinds.
type memorySet struct {
	u       importer.Unit
	root    jsonscan.Node
	account string
	found   []*importer.Record
	taken   []jsonscan.Node // values that have a record of their own
}

// add adds a record of a part.
func (s *memorySet) add(below, id, text string, n jsonscan.Node) {
	r := memoryEntry(s.u, below, n, text)
	if r.ID == "" {
		r.ID = id
	}
	if r.AccountID == "" {
		r.AccountID = s.account
	}
	s.found = append(s.found, r)
	s.taken = append(s.taken, n)
}

// projects reads the memories by project: texts, or entries, under the project's id.
func (s *memorySet) projects(n jsonscan.Node) {
	for key, v := range n.Fields() {
		below := "/project_memories" + child(key.Str())
		if v.Kind() == jsonscan.String {
			s.add(below, key.Str(), v.Str(), v)
		} else if text, ok := entryText(v); ok {
			s.add(below, key.Str(), text, v)
		}
	}
	s.list("/project_memories", n)
}

func (s *memorySet) files(n jsonscan.Node) { s.list("/memory_files", n) }

// list reads a list of entries or texts.
func (s *memorySet) list(at string, n jsonscan.Node) {
	i := 0
	for v := range n.Items() {
		below := at + "/" + strconv.Itoa(i)
		i++
		if v.Kind() == jsonscan.String {
			s.add(below, "", v.Str(), v)
		} else if text, ok := entryText(v); ok {
			id := v.Get("project_uuid").Str()
			s.add(below, id, text, v)
		}
	}
}

// main gives all records: first that of the whole object, without what has one of its own.
func (s *memorySet) main() []importer.Item {
	rest, leaves := without(s.root, s.taken)
	if leaves == 0 {
		return records(s.found...)
	}
	r := record(s.u, importer.RecordSetting, "", s.root)
	r.Raw, r.AccountID = rest, s.account
	r.CreatedAt, r.UpdatedAt = when(s.root.Get("created_at")), when(s.root.Get("updated_at"))
	if text := s.root.Get("conversations_memory"); text.Kind() == jsonscan.String && !text.Is("") {
		r.Kind, r.Text, r.Pointer = importer.RecordMemory, text.Str(), r.Pointer+"/conversations_memory"
	}
	return records(append([]*importer.Record{r}, s.found...)...)
}

var accountFile = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// memoryAccount is whose memories these are: as they say, else by the name of
// memories/<account>.json, else the only account of the export.
func memoryAccount(u importer.Unit, n jsonscan.Node) string {
	if id := n.Get("account_uuid").Str(); id != "" {
		return id
	}
	base := strings.TrimSuffix(path.Base(u.Member.Name), ".json")
	if path.Base(path.Dir(u.Member.Name)) == "memories" && accountFile.MatchString(base) {
		return base
	}
	return joinedOf(u).onlyAccount()
}

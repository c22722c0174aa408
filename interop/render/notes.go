package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Note is the name of a conversation as a note.
type Note struct{ Title, Date string }

// Notes writes memories as notes that link to each other, as Obsidian and others read them: one of
// all types, one for each type and topic, each memory with a link to the conversation that it comes
// from. write is called once for each note, with a name that ends in .md. The list is sorted.
func Notes(list []Memory, conversations map[string]Note, o Options, write func(name, text string) error) error {
	slices.SortFunc(list, func(a, b Memory) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID))
	})
	types, topics := map[string][]Memory{}, map[string][]Memory{}
	for _, m := range list {
		types[m.Type] = append(types[m.Type], m)
		for _, t := range m.Topics {
			topics[t] = append(topics[t], m)
		}
	}
	var home strings.Builder
	fmt.Fprintf(&home, "# Memories\n")
	typeNotes, topicNotes := noteNames("Memories/", types), noteNames("Topics/", topics)
	for _, group := range []struct {
		heading string
		notes   map[string]string
		of      map[string][]Memory
	}{{"Types", typeNotes, types}, {"Topics", topicNotes, topics}} {
		if len(group.of) > 0 {
			fmt.Fprintf(&home, "\n## %s\n\n", group.heading)
		}
		for _, name := range sortedKeys(group.of) {
			fmt.Fprintf(&home, "- [[%s|%s]] (%d)\n", group.notes[name], linkText(name), len(group.of[name]))
		}
	}
	if err := write("Memories.md", home.String()); err != nil {
		return err
	}
	for _, name := range sortedKeys(types) {
		var b strings.Builder
		fmt.Fprintf(&b, "# %s\n\n", escaped(Line(name)))
		for _, m := range types[name] {
			b.WriteString("- " + escaped(m.Text) + escaped(source(m, o)))
			if c, ok := conversations[m.Evidence.Conversation]; ok {
				fmt.Fprintf(&b, " – [[%s|%s]]", ConversationNote(m.Evidence.Conversation, c), linkText(c.Title))
			}
			fmt.Fprintf(&b, " ^%s\n", anchor(m.ID))
		}
		if err := write(typeNotes[name]+".md", b.String()); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(topics) {
		var b strings.Builder
		fmt.Fprintf(&b, "# %s\n\n", escaped(Line(name)))
		for _, m := range topics[name] {
			fmt.Fprintf(&b, "- %s – [[%s#^%s|%s]]\n", escaped(m.Text), typeNotes[m.Type], anchor(m.ID), linkText(m.Type))
		}
		if err := write(topicNotes[name]+".md", b.String()); err != nil {
			return err
		}
	}
	return nil
}

// ConversationNote is the name of a conversation's note, without .md: its date, its title, and the
// start of its id, which keeps notes of one title apart.
func ConversationNote(id string, n Note) string {
	parts := []string{n.Date, fileName(n.Title, 80), fileName(id, 13)}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return "Conversations/" + strings.Join(parts, " ")
}

// noteNames gives each name a note of its own, whatever it contains.
func noteNames(folder string, of map[string][]Memory) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for _, name := range sortedKeys(of) {
		base := cmp.Or(fileName(name, 60), "Other")
		note := folder + base
		for n := 2; taken[strings.ToLower(note)]; n++ {
			note = fmt.Sprintf("%s%s %d", folder, base, n)
		}
		taken[strings.ToLower(note)] = true
		names[name] = note
	}
	return names
}

// fileName makes a name of a text that every file system takes and that needs no escape in a link.
func fileName(text string, longest int) string {
	var b strings.Builder
	n := 0
	for _, r := range Line(text) {
		if strings.ContainsRune(`\/:*?"<>|#^[]%`, r) || !unicode.IsPrint(r) {
			r = '-'
		}
		if n++; n > longest {
			break
		}
		b.WriteRune(r)
	}
	name := strings.Trim(b.String(), " .-~")
	if base, _, _ := strings.Cut(strings.ToLower(name), "."); reserved[base] {
		name = "_" + name
	}
	return name
}

// reserved are the names of devices on Windows.
var reserved = func() map[string]bool {
	names := map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}
	for n := '1'; n <= '9'; n++ {
		names["com"+string(n)], names["lpt"+string(n)] = true, true
	}
	return names
}()

// linkText is what a link shows.
func linkText(text string) string {
	return cmp.Or(strings.NewReplacer("[", "(", "]", ")", "|", "/", "\n", " ").Replace(Line(text)), "Untitled")
}

// anchor is the name of a memory's line: links lead to it.
func anchor(id string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-') {
			return r
		}
		return '-'
	}, id)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

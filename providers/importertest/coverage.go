package importertest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Update is set by -update: golden files are written instead of compared.
var Update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares a text with a golden file.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if got == string(want) {
		return
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			t.Fatalf("%s: line %d was %q, is %q; look at it with -update and git diff. What an importer version emits must never change once it is released: then it is a new version", path, i+1, w[i], g[i])
		}
	}
	t.Fatalf("%s: %d lines were, %d are; look at it with -update and git diff", path, len(w), len(g))
}

// Documents compares all that an importer makes of a result with a golden file: documents, records,
// skips and quarantined units. It pins the importer's version.
func Documents(t *testing.T, path string, r *Result) {
	t.Helper()
	var b strings.Builder
	for _, u := range r.Units {
		fmt.Fprintf(&b, "# %s %s#%d\n", u.Role, u.Member.Name, u.Index)
		if u.Bad != nil {
			fmt.Fprintf(&b, "quarantined %s at %d: %s\n", u.Bad.Code, u.Bad.Offset, u.Bad.Reason)
		}
		for _, i := range u.Items {
			switch {
			case i.Conversation != nil:
				fmt.Fprintf(&b, "order %s newest %s anomalies %v\n%s\n", i.Conversation.Order, i.Conversation.Newest, i.Conversation.Anomalies, i.Conversation.Doc.AppendJSON(nil))
			case i.Record != nil:
				fmt.Fprintf(&b, "record %s %q %q at %q: %q %q %s %s %s\n", i.Record.Kind, i.Record.ID, i.Record.Title, i.Record.Pointer, i.Record.Text, i.Record.AccountID, i.Record.CreatedAt, i.Record.UpdatedAt, i.Record.Raw)
			case i.Skip != nil:
				fmt.Fprintf(&b, "skip %s %d: %s\n", i.Skip.Code, i.Skip.Count, i.Skip.Reason)
			}
		}
	}
	Golden(t, path, b.String())
}

// Coverage changes every leaf of every JSON unit, one at a time, and holds a table of where in what
// becomes of it the change shows. A leaf whose change shows nowhere is lost. The table is the
// importer's mapping as it is, for people to read.
func (f Format) Coverage(t *testing.T, golden string, r *Result) {
	t.Helper()
	lines := map[string]map[string]bool{}
	for _, u := range r.Units {
		src, err := jsonscan.Parse(u.Raw, 0)
		if err != nil || u.Unit.Err != nil {
			continue
		}
		before := flatten(t, u)
		Walk(src.Root(), nil, func(leaf jsonscan.Node, path []string) {
			changed := u.Unit
			changed.Raw = slices.Concat(u.Raw[:leaf.Offset()], Mutated(leaf), u.Raw[leaf.Offset()+len(leaf.Raw()):])
			after := flatten(t, decode(t, f.Importer, changed))
			shown := map[string]bool{}
			for p, v := range after {
				if before[p] != v {
					shown[general(p)] = true
				}
			}
			for p := range before {
				if _, ok := after[p]; !ok {
					shown[general(p)] = true
				}
			}
			pattern := u.Role + " " + general(strings.Join(path, "/"))
			if len(shown) == 0 {
				t.Errorf("%s: a change of it shows nowhere", pattern)
			}
			if lines[pattern] == nil {
				lines[pattern] = map[string]bool{}
			}
			// A change of an id moves every link; the first places say enough.
			for i, p := range slices.Sorted(maps.Keys(shown)) {
				if i < 4 {
					lines[pattern][p] = true
				}
			}
		})
	}
	var table strings.Builder
	for _, pattern := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&table, "%s\n\t%s\n", pattern, strings.Join(slices.Sorted(maps.Keys(lines[pattern])), "\n\t"))
	}
	Golden(t, golden, table.String())
}

// flatten lists the leaves of all that became of a unit.
func flatten(t *testing.T, u Unit) map[string]string {
	t.Helper()
	flat := map[string]string{}
	add := func(prefix string, text []byte) {
		doc, err := jsonscan.Parse(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		Walk(doc.Root(), []string{prefix}, func(leaf jsonscan.Node, path []string) { flat[strings.Join(path, "/")] = string(leaf.Raw()) })
	}
	if u.Bad != nil {
		flat["(quarantined)"] = u.Bad.Code
	}
	for i, item := range u.Items {
		switch {
		case item.Conversation != nil:
			add(fmt.Sprintf("[]%d conversation", i), item.Conversation.Doc.AppendJSON(nil))
		case item.Record != nil:
			prefix := fmt.Sprintf("[]%d record", i)
			add(prefix+"/raw", item.Record.Raw)
			for k, v := range map[string]string{"kind": item.Record.Kind, "id": item.Record.ID, "title": item.Record.Title, "text": item.Record.Text, "created_at": item.Record.CreatedAt, "updated_at": item.Record.UpdatedAt} {
				flat[prefix+"/"+k] = v
			}
		case item.Skip != nil:
			flat["skip "+item.Skip.Code] = strconv.Itoa(item.Skip.Count)
		}
	}
	return flat
}

// Mutated gives another value of the same kind.
func Mutated(n jsonscan.Node) []byte {
	switch n.Kind() {
	case jsonscan.String:
		s := n.Raw()
		return append(slices.Clone(s[:len(s)-1]), `~"`...)
	case jsonscan.Number:
		if normalize.SameNumber(n.Raw(), []byte("17")) {
			return []byte("18")
		}
		return []byte("17")
	case jsonscan.Bool:
		return []byte(strconv.FormatBool(!n.True()))
	case jsonscan.Array:
		return []byte(`["changed"]`)
	case jsonscan.Object:
		return []byte(`{"changed":1}`)
	}
	return []byte(`"changed"`)
}

// Walk visits the leaves of a value with the path to each; the i-th element of a list is called
// "[]i".
func Walk(n jsonscan.Node, path []string, visit func(jsonscan.Node, []string)) {
	if (n.Kind() != jsonscan.Array && n.Kind() != jsonscan.Object) || n.Len() == 0 {
		visit(n, path)
		return
	}
	i := 0
	for v := range n.Items() {
		Walk(v, append(slices.Clone(path), "[]"+strconv.Itoa(i)), visit)
		i++
	}
	for k, v := range n.Fields() {
		Walk(v, append(slices.Clone(path), k.Str()), visit)
	}
}

// name is a key that is an id, not a name of the format.
var name = regexp.MustCompile(`^([0-9a-fA-F-]{8,}|[0-9]+)$`)

// general makes a path a pattern.
func general(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "[]") {
			_, rest, _ := strings.Cut(p, " ")
			parts[i] = "[]" + rest
			if rest != "" {
				parts[i] = rest
			}
		} else if name.MatchString(p) {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

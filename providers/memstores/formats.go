package memstores

import (
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// lists of elements: at the root, in lines, or under a key.
var anywhere = []string{"[].", "results[].", "memories[].", "items[]."}

var formats = []*format{letta, zep, langmem, openmemory, mem0, statements}

// mem0: get_all of its library and the pages of its service.
var mem0 = &format{
	provider: "mem0", version: "mem0-importer/2026.11", lists: []string{"results", "memories", "relations"},
	is: func(s importer.Shape) bool {
		for _, at := range anywhere {
			if s.Has(at+`memory"`) && s.Has(at+"id") && hasAny(s, at, "hash", "user_id", "agent_id", "run_id", "metadata", "expiration_date") {
				return true
			}
		}
		return false
	},
	decode: func(e *element) error {
		n := e.root
		text := textOf(n, "memory", "text")
		switch {
		case text == "":
			return nil // relations of its graph
		case n.Get("expiration_date").Kind() == jsonscan.String:
			return e.adopt(adopted{
				id: textOf(n, "id"), content: text, kind: "fact", status: "active", tags: texts(n.Get("categories")),
				created: when(n, "created_at"), updated: when(n, "updated_at"), until: when(n, "expiration_date"),
			}, n)
		}
		e.text(importer.RecordMemory, textOf(n, "id"), "", text, n)
		return nil
	},
}

// openmemory: memories.json of the backup of a self-hosted OpenMemory, and the list of the program
// of the same name whose memories have sectors.
var openmemory = &format{
	provider: "openmemory", version: "openmemory-importer/2026.11",
	lists:  []string{"memories", "items", "apps", "categories", "memory_categories", "status_history", "access_controls"},
	beside: map[string]string{"memories.jsonl.gz": "the same memories as in memories.json, for another database"},
	is: func(s importer.Shape) bool {
		for _, at := range anywhere {
			if s.Has(at+`content"`) && s.Has(at+"id") && (s.Has(at+`state"`) || s.Has(at+`primary_sector"`)) && !hasAny(s, at, "role", "author") {
				return true
			}
		}
		return false
	},
	decode: func(e *element) error {
		n := e.root
		text := textOf(n, "content")
		if text == "" || e.unit.Role != roleElement && e.unit.Role != "memories" && e.unit.Role != "items" {
			return nil
		}
		a := adopted{
			id: textOf(n, "id"), content: text, kind: "fact", status: "active", tags: append(texts(n.Get("categories")), texts(n.Get("tags"))...),
			created: when(n, "created_at"), updated: when(n, "updated_at"),
		}
		switch textOf(n, "state") {
		case "archived", "paused":
			a.status = "archived"
		case "deleted":
			a.status = "retracted"
		}
		switch textOf(n, "primary_sector") {
		case "procedural":
			a.kind = "instruction"
		case "episodic", "reflective", "emotional":
			a.kind = "context"
		}
		return e.adopt(a, n)
	},
}

// langmem: items of a LangGraph store, in which LangMem keeps memories.
var langmem = &format{
	provider: "langmem", version: "langmem-importer/2026.11", lists: []string{"items"},
	is: func(s importer.Shape) bool {
		for _, at := range anywhere {
			if s.Has(at+"namespace[") && s.Has(at+`key"`) && s.Has(at+"value{") {
				return true
			}
		}
		return false
	},
	decode: func(e *element) error {
		n := e.root
		value := n.Get("value")
		text := textOf(value, "content", "memory", "text", "data")
		if text == "" {
			text = textOf(value.Get("content"), "content", "memory", "text")
		}
		kind := importer.RecordMemory
		if text == "" { // a profile: fields with plain values
			from := value
			if c := value.Get("content"); c.Kind() == jsonscan.Object {
				from = c
			}
			var lines []string
			for k, v := range from.Fields() {
				if v.Kind() == jsonscan.String && v.Str() != "" && !k.Is("kind") {
					lines = append(lines, k.Str()+": "+v.Str())
				}
			}
			kind, text = importer.RecordProfile, strings.Join(lines, "\n")
		}
		if text != "" {
			e.text(kind, textOf(n, "key"), "", text, n)
		}
		return nil
	},
}

// zep: edges, nodes and episodes of a graph of Graphiti or Zep. An edge is a fact with a validity.
var zep = &format{
	provider: "zep", version: "zep-importer/2026.11", lists: []string{"edges", "facts", "nodes", "episodes"},
	is: func(s importer.Shape) bool {
		for _, at := range []string{"[].", "edges[].", "facts[]."} {
			if s.Has(at+`fact"`) && s.Has(at+`uuid"`) {
				return true
			}
		}
		return false
	},
	decode: func(e *element) error {
		n := e.root
		created := when(n, "created_at")
		if fact := textOf(n, "fact"); fact != "" {
			a := adopted{
				id: textOf(n, "uuid"), content: fact, kind: "fact", status: "active", created: created, from: when(n, "valid_at"), until: when(n, "invalid_at"),
			}
			// An edge that another statement ended is kept and holds no more.
			if a.until != "" || when(n, "expired_at") != "" {
				a.status = "deprecated"
			}
			return e.adopt(a, n)
		}
		a := adopted{id: textOf(n, "uuid"), kind: "custom", status: "archived", created: created}
		switch {
		case e.unit.Role == "episodes" || n.Get("source_description").Exists():
			a.custom, a.content = "zep_episode", textOf(n, "content", "name")
		default:
			a.custom, a.content = "zep_entity", strings.Trim(textOf(n, "name")+": "+textOf(n, "summary"), ": ")
		}
		return e.adopt(a, n)
	},
}

package mif

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Finding is what is wrong at one place.
type Finding struct {
	ID string `json:"id"`
	// Pointer is the JSON pointer of the value.
	Pointer string `json:"pointer"`
	Reason  string `json:"reason"`
	// Warning tells that the document is valid all the same.
	Warning bool `json:"warning,omitempty"`
}

var (
	memoryID = regexp.MustCompile(`^mem_[a-fA-F0-9-]+$`)
	todoID   = regexp.MustCompile(`^todo_[a-fA-F0-9-]+$`)
	exportID = regexp.MustCompile(`^exp_[a-zA-Z0-9]+$`)
	uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// Types are the types of memories of version 1.
var Types = []string{"Observation", "Decision", "Learning", "Error", "Discovery", "Pattern", "Context", "Task", "CodeEdit", "FileAccess", "Search", "Command", "Conversation"}

// statuses are those of todos.
var statuses = []string{"backlog", "todo", "in_progress", "blocked", "done", "cancelled"}

// edgeTypes are those of the graph.
var edgeTypes = []string{"semantic_association", "entity_mention", "temporal_sequence", "causal", "user_linked", "todo_memory"}

type checker struct {
	found func(Finding)
	// ids are digests of the ids of records.
	ids map[[16]byte]bool
}

// Check finds what is wrong with a document: fields, types, ids that stand twice, references that
// lead nowhere, vectors of another length than they say, and the checksum. The error is for what
// keeps it from being read on.
func (d *Document) Check(found func(Finding)) error {
	c := &checker{found: found, ids: map[[16]byte]bool{}}
	root := d.Root
	switch d.Checksum {
	case Mismatch:
		c.add("checksum", "/export/checksum", "it is not that of the document")
	case CountOnly, EmptyHash, Unverifiable:
		c.warn("checksum", "/export/checksum", "it proves nothing: "+string(d.Checksum))
	}
	if d.IsV2() {
		c.checkMeta(root.Get("export_meta"), "/export_meta", nil)
	} else {
		c.checkMeta(root.Get("export"), "/export", exportID)
	}
	if root.Get("memories").Kind() != jsonscan.Array {
		c.add("required", "/memories", "the list of memories is missing")
	}
	each := map[string]func(n jsonscan.Node, at string){
		Memories: func(n jsonscan.Node, at string) { c.checkMemory(n, at, d.IsV2()) },
		Todos:    func(n jsonscan.Node, at string) { c.checkTodo(n, at, d.IsV2()) },
	}
	if !d.IsV2() {
		each[Edges] = c.checkEdge
	}
	for _, list := range lists {
		if err := c.checkList(d, list, each[list]); err != nil {
			return err
		}
	}
	if d.IsV2() {
		return nil
	}
	return c.checkReferences(d)
}

// checkList checks that the records of a list can be read, and each by itself.
func (c *checker) checkList(d *Document, list string, check func(jsonscan.Node, string)) error {
	for r, err := range d.Records(list) {
		if err != nil {
			return err
		}
		at := "/" + list + "/" + strconv.Itoa(r.Index)
		switch {
		case r.Err != nil:
			c.add("malformed", at, r.Err.Error())
		case check != nil:
			check(r.Node, at)
		}
	}
	return nil
}

func (c *checker) add(id, pointer, reason string) { c.found(Finding{id, pointer, reason, false}) }

func (c *checker) warn(id, pointer, reason string) { c.found(Finding{id, pointer, reason, true}) }

func (c *checker) checkMeta(n jsonscan.Node, at string, form *regexp.Regexp) {
	if n.Get("user_id").Kind() != jsonscan.String && form != nil {
		c.add("required", at+"/user_id", "it is missing")
	}
	if form != nil && !form.MatchString(n.Get("id").Str()) {
		c.add("pattern", at+"/id", "it does not have the form of an export id")
	}
	c.checkTime(n.Get("created_at"), at+"/created_at", true)
}

func (c *checker) checkTime(n jsonscan.Node, at string, required bool) {
	if !n.Exists() || n.IsNull() {
		if required {
			c.add("required", at, "it is missing")
		}
		return
	}
	if _, err := pamio.ParseTime(n.Str()); n.Kind() != jsonscan.String || err != nil {
		c.add("time", at, "it is not a time of RFC 3339")
	}
}

func (c *checker) checkID(n jsonscan.Node, at string, form *regexp.Regexp) {
	switch id := n.Str(); {
	case !form.MatchString(id):
		c.add("pattern", at+"/id", "it is missing or does not have the form of an id")
	case c.ids[idDigest(id)]:
		c.add("duplicate", at+"/id", "another record has the same id")
	default:
		c.ids[idDigest(id)] = true
	}
}

func (c *checker) checkText(n jsonscan.Node, at string, most int) {
	length := utf8.RuneCountInString(n.Str())
	if n.Kind() != jsonscan.String || length == 0 || length > most {
		c.add("length", at, fmt.Sprintf("it must be a text of 1 to %d characters", most))
	}
}

func (c *checker) checkUnit(n jsonscan.Node, at string) {
	if !n.Exists() || n.IsNull() {
		return
	}
	f, err := strconv.ParseFloat(string(n.Raw()), 64)
	if n.Kind() != jsonscan.Number || err != nil || f < 0 || f > 1 {
		c.add("range", at, "it must be a number from 0 to 1")
	}
}

func (c *checker) checkMemory(m jsonscan.Node, at string, v2 bool) {
	form, typeKey := memoryID, "type"
	if v2 {
		form, typeKey = uuidForm, "memory_type"
	}
	c.checkID(m.Get("id"), at, form)
	c.checkText(m.Get("content"), at+"/content", 100_000)
	if kind := m.Get(typeKey); kind.Kind() != jsonscan.String || !v2 && !slices.Contains(Types, kind.Str()) {
		c.add("type", at+"/"+typeKey, "it is missing or no type of a memory")
	}
	c.checkTime(m.Get("created_at"), at+"/created_at", true)
	for _, name := range []string{"updated_at", "accessed_at"} {
		c.checkTime(m.Get(name), at+"/"+name, false)
	}
	for _, name := range []string{"importance", "decay_rate"} {
		c.checkUnit(m.Get(name), at+"/"+name)
	}
	i := 0
	for e := range m.Get("entities").Items() {
		c.checkUnit(e.Get("confidence"), fmt.Sprintf("%s/entities/%d/confidence", at, i))
		i++
	}
	if e := m.Get("embedding"); e.Kind() == jsonscan.Object && string(e.Get("dimensions").Raw()) != strconv.Itoa(e.Get("vector").Len()) {
		c.warn("dimensions", at+"/embedding", "the vector has another length than dimensions says, and will not be used")
	}
}

func (c *checker) checkTodo(todo jsonscan.Node, at string, v2 bool) {
	form := todoID
	if v2 {
		form = uuidForm
	}
	c.checkID(todo.Get("id"), at, form)
	c.checkText(todo.Get("content"), at+"/content", 10_000)
	if !slices.Contains(statuses, todo.Get("status").Str()) {
		c.add("type", at+"/status", "it is missing or no status of a todo")
	}
	c.checkTime(todo.Get("created_at"), at+"/created_at", true)
}

func (c *checker) checkEdge(e jsonscan.Node, at string) {
	if !slices.Contains(edgeTypes, e.Get("type").Str()) {
		c.add("type", at+"/type", "it is no type of an edge")
	}
	c.checkUnit(e.Get("weight"), at+"/weight")
}

func (c *checker) checkReferences(d *Document) error {
	for r, err := range d.Records(Memories) {
		if err != nil {
			return err
		}
		if r.Err != nil {
			continue
		}
		for _, list := range []string{"related_memories", "related_todos"} {
			for id := range r.Get("relations").Get(list).Items() {
				if !c.ids[idDigest(id.Str())] {
					c.warn("reference", fmt.Sprintf("/memories/%d/relations/%s", r.Index, list), "it names a record that is not there")
				}
			}
		}
	}
	return nil
}

func idDigest(id string) [16]byte {
	sum := sha256.Sum256([]byte(id))
	return [16]byte(sum[:])
}

package pam

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/pamio/schema"
	"github.com/pamline/pamline/providers/importer"
)

// kindOfElement says what the elements of a collection are, and how they are made to fit.
type kindOfElement struct {
	record string
	part   schema.Part
	tidy   func(o map[string]any) error
	// open is the member that unknown values are kept in; "" if the format leaves no place for any.
	open string
}

var kinds = map[string]kindOfElement{
	memories:   {importer.RecordPAMMemory, schema.Memory, tidyMemory, "metadata"},
	relations:  {importer.RecordPAMRelation, schema.Relation, tidyRelation, ""},
	indexed:    {importer.RecordPAMConversation, schema.IndexEntry, tidyEntry, ""},
	embeddings: {importer.RecordPAMEmbedding, schema.Embedding, tidyEmbedding, ""},
}

// Codes of elements that are quarantined, and of members that are left out.
const (
	codeNoElement = "not_an_element"
	codeMisfit    = "invalid_element"
	skipUnknown   = "unknown-member"
)

// decodeElement makes a record of an element. Everything that PAM has a place for is kept.
func decodeElement(u importer.Unit, j *joined) ([]importer.Item, error) {
	k := kinds[u.Role]
	fail := func(code, reason string) error {
		return &importer.UnitError{Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: int64(len(u.Raw)), Code: code, Reason: reason}
	}
	o, err := readObject(u.Raw, u.Limits.MaxDepth)
	if err != nil {
		return nil, fail(codeNoElement, "the element of "+u.Role+" cannot be read: "+err.Error())
	}
	dropNulls(o, "metadata")
	if err := k.tidy(o); err != nil {
		return nil, fail(codeMisfit, "the element of "+u.Role+" cannot be read: "+err.Error())
	}
	taken, err := fit(k.part, o)
	if err != nil {
		return nil, fail(codeMisfit, "the element of "+u.Role+" cannot go into a store: "+err.Error())
	}
	if err := k.tidy(o); err != nil { // what was taken out has its default
		return nil, fail(codeMisfit, "the element of "+u.Role+" cannot go into a store: "+err.Error())
	}
	var items []importer.Item
	if k.open != "" {
		keep(o, k.open, taken)
	} else if len(taken) > 0 {
		items = importer.Skipped(skipUnknown, "members of "+u.Role+" that PAM 1.0 has no place for", len(taken))
	}
	raw, err := canonical(o)
	if err != nil {
		return nil, fail(codeMisfit, "the element of "+u.Role+" cannot go into a store: "+err.Error())
	}
	r := &importer.Record{
		Kind: k.record, Provider: provider, Pointer: "/" + u.Role + "/" + strconv.Itoa(u.Index), Raw: raw, CreatedAt: timeOf(o),
	}
	if s := j.stores[u.Member.Index]; s != nil {
		r.ID, r.UpdatedAt = s.exportID, s.exportDate
	}
	return append(items, importer.Item{Record: r}), nil
}

// readObject reads a JSON object whose meaning readers agree on.
func readObject(raw []byte, depth int) (map[string]any, error) {
	d, err := jsonscan.Parse(raw, depth)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if d.Root().Odd() {
		return nil, errors.New("it is ambiguous: a key twice, half a character, or no UTF-8")
	}
	v, err := schema.Decode(raw)
	if err != nil {
		return nil, err
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is not an object")
	}
	return o, nil
}

// timeOf is the newest time at which an element was stated.
func timeOf(o map[string]any) (newest string) {
	take := func(at any) {
		if t, ok := at.(string); ok {
			newest = max(newest, sortable(t))
		}
	}
	temporal, _ := o["temporal"].(map[string]any)
	confidence, _ := o["confidence"].(map[string]any)
	for _, at := range []any{temporal["created_at"], temporal["updated_at"], confidence["last_reinforced"], o["created_at"]} {
		take(at)
	}
	return outputTime(newest)
}

// sortable is a time with six digits of a second; "" for what is no time.
func sortable(s string) string {
	t, err := pamio.ParseTime(s)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// tidyMemory writes what PAM leaves open in one way.
func tidyMemory(o map[string]any) error {
	content, _ := o["content"].(string)
	if content == "" {
		return errors.New("it has no content")
	}
	o["content_hash"] = pamio.ContentHash(content)
	setDefault(o, "status", "active")
	setDefault(o, "tags", []any{})
	if t, ok := o["temporal"].(map[string]any); ok {
		times(t, "created_at", "updated_at", "valid_from", "valid_until")
	}
	if c, ok := o["confidence"].(map[string]any); ok {
		times(c, "last_reinforced")
	}
	if p, ok := o["provenance"].(map[string]any); ok {
		times(p, "extracted_at")
		dropEmpty(p, "conversation_ref", "message_ref")
	}
	if a, ok := o["access"].(map[string]any); ok {
		setDefault(a, "visibility", "private")
		setDefault(a, "exportable", true)
		setDefault(a, "shared_with", []any{})
	}
	dropEmpty(o, "embedding_ref")
	return nil
}

func tidyRelation(o map[string]any) error {
	times(o, "created_at")
	return nil
}

func tidyEntry(o map[string]any) error {
	if t, ok := o["temporal"].(map[string]any); ok {
		times(t, "created_at", "updated_at")
	}
	return nil
}

func tidyEmbedding(o map[string]any) error {
	times(o, "created_at")
	return nil
}

func setDefault(o map[string]any, key string, value any) {
	if _, ok := o[key]; !ok {
		o[key] = value
	}
}

// dropEmpty removes references that are empty texts, which name nothing.
func dropEmpty(o map[string]any, keys ...string) {
	for _, k := range keys {
		if o[k] == "" {
			delete(o, k)
		}
	}
}

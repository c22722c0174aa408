package memstores

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// element collects the records of one unit.
type element struct {
	provider string
	unit     importer.Unit
	root     jsonscan.Node
	items    []importer.Item
}

// pointer is where the element stands in its file.
func (e *element) pointer() string {
	at := "/" + strconv.Itoa(e.unit.Index)
	if e.unit.Role != roleElement {
		at = "/" + e.unit.Role + at
	}
	return at
}

func (e *element) fail(code, reason string) error { return lossless.Fail(e.unit, code, "%s", reason) }

func (e *element) add(r *importer.Record) { e.items = append(e.items, importer.Item{Record: r}) }

// text adds a text for the harvest.
func (e *element) text(kind, id, title, text string, n jsonscan.Node) *importer.Record {
	r := &importer.Record{
		Kind: kind, Provider: e.provider, ID: id, Pointer: e.pointer(), Title: title, Text: strings.TrimSpace(text), Raw: n.AppendCompact(nil),
		CreatedAt: when(n, "created_at", "createdAt", "date", "timestamp"), UpdatedAt: when(n, "updated_at", "updatedAt"), AccountID: textOf(n, "user_id", "userId"),
	}
	e.add(r)
	return r
}

// setting keeps what says nothing about the person.
func (e *element) setting(pointer string, n jsonscan.Node) {
	if n.Kind() == jsonscan.Object && n.Len() == 0 {
		e.items = append(e.items, importer.Skipped("empty", "an object without members", 1)...)
		return
	}
	e.add(&importer.Record{Kind: importer.RecordSetting, Provider: e.provider, Pointer: pointer, ID: textOf(n, "id", "uuid"), Raw: n.AppendCompact(nil)})
}

// adopted is a memory with a state.
type adopted struct {
	id, content, kind, custom, status string
	tags                              []string
	created, updated, from, until     string
	confidence                        float64 // 0: the source has none
}

// adopt adds a memory as one of a PAM store, with its source in its metadata.
func (e *element) adopt(a adopted, n jsonscan.Node) error {
	raw := n.AppendCompact(nil)
	if a.id == "" {
		sum := sha256.Sum256(raw)
		a.id = e.provider + ":" + hex.EncodeToString(sum[:12])
	}
	if strings.TrimSpace(a.content) == "" {
		e.setting(e.pointer(), n)
		return nil
	}
	if a.created == "" {
		a.created = normalize.Epoch.String()
	}
	m := pamio.Memory{
		ID: a.id, Type: a.kind, CustomType: a.custom, Status: a.status, Content: a.content, ContentHash: pamio.ContentHash(a.content), Tags: tagsOf(a.tags),
		Temporal:   pamio.Temporal{CreatedAt: a.created, UpdatedAt: a.updated, ValidFrom: a.from, ValidUntil: a.until},
		Provenance: pamio.Provenance{Platform: e.provider, ExtractionMethod: "api_export"},
	}
	if a.confidence > 0 && a.confidence <= 1 {
		m.Confidence = &pamio.Confidence{Initial: a.confidence, Current: a.confidence, DecayModel: "none"}
	}
	m.Metadata = append(append(append([]byte(`{"`), e.provider...), `":`...), raw...)
	m.Metadata = append(m.Metadata, '}')
	text, err := m.AppendCanonical(nil)
	if err != nil {
		return e.fail("invalid_element", "the memory made of it would not be valid: "+err.Error())
	}
	e.add(&importer.Record{Kind: importer.RecordPAMMemory, Provider: e.provider, Pointer: e.pointer(), Raw: text, CreatedAt: newest(a.created, a.updated)})
	return nil
}

func newest(a, b string) string {
	x, errX := pamio.ParseTime(a)
	y, errY := pamio.ParseTime(b)
	if errX == nil && errY == nil && y.After(x) || errX != nil {
		return b
	}
	return a
}

// when is the first time under one of several keys, "" if there is none.
func when(n jsonscan.Node, keys ...string) string {
	for _, k := range keys {
		if t, ok := lossless.ReadTime(n.Get(k)); ok && t != normalize.Epoch {
			return t.String()
		}
	}
	return ""
}

// texts are the strings of a list.
func texts(n jsonscan.Node) (all []string) {
	for v := range n.Items() {
		if v.Kind() == jsonscan.String {
			all = append(all, v.Str())
		} else if name := textOf(v, "name"); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// tagsOf makes tags of PAM (§4.3) of any texts.
func tagsOf(all []string) []string {
	tags := []string{}
	for _, s := range all {
		var b strings.Builder
		for _, r := range strings.ToLower(s) {
			switch {
			case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' && b.Len() > 0:
				b.WriteRune(r)
			case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
				b.WriteByte('-')
			}
		}
		if tag := strings.TrimRight(b.String(), "-_"); pamio.IsTag(tag) && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

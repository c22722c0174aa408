package convert

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

const derivedPrefix = "mem:"

// isDerived tells whether a relation was made of a .mem record, which is kept itself.
func isDerived(id string) bool { return strings.HasPrefix(id, derivedPrefix) }

func roundScore(f float64) float64 { return math.Round(f*1e4) / 1e4 }

// projections say which field of a kind is the text of a memory, and what type it is. Other kinds
// are carriers: archived, private memories with one readable line.
var projections = map[string]struct{ kind, content, summary, created, from, until, key string }{
	"episode":    {"fact", "details", "summary", "ingestionTime", "eventTime", "expirationDate", "id"},
	"fact":       {"fact", "text", "", "createdAt", "tValidFrom", "tValidTo", "id"},
	"preference": {"preference", "value", "", "", "", "", "key"},
	"core":       {"identity", "content", "", "", "", "", "id"},
	"procedure":  {"instruction", "triggerPattern", "", "", "", "", "id"},
}

// pamTypes are the types that a .mem record may name for itself.
var pamTypes = map[string]bool{"fact": true, "preference": true, "skill": true, "context": true, "relationship": true, "goal": true, "instruction": true, "identity": true, "environment": true, "project": true}

// recordID is the id of the memory that a record becomes: an episode keeps its own, others have the
// kind in front, so that ids of two kinds never meet.
func recordID(kind, key string) string {
	if kind == "episode" {
		return key
	}
	return kind + ":" + strings.ReplaceAll(key, "\x00", "|")
}

// projectRecord gives the memory of a record without its carrier.
func projectRecord(kind string, line []byte, n int64) (*pamio.Memory, error) {
	var node jsonscan.Node
	if d, err := jsonscan.Parse(line, 0); err == nil && !d.Root().Odd() {
		node = d.Root()
	} else if mem.IsNative(kind) {
		return nil, fmt.Errorf("convert %s: %w", kind, mem.ErrMalformed)
	}
	p, known := projections[kind]
	if !known {
		return projectCarrier(kind, line, node, n), nil
	}
	m := &pamio.Memory{
		ID: recordID(kind, node.Get(p.key).Str()), Type: p.kind, Status: "active", Content: node.Get(p.content).Str(), Tags: []string{},
		Temporal: pamio.Temporal{
			CreatedAt: memTime(node.Get(p.created).Str()), ValidFrom: optionalTime(node.Get(p.from)), ValidUntil: optionalTime(node.Get(p.until)),
		},
		Provenance: pamio.Provenance{Platform: "portable-memory", ExtractionMethod: "api_export"},
	}
	if p.summary != "" {
		m.Summary = node.Get(p.summary).Str()
	}
	switch kind {
	case "preference":
		m.Content = node.Get("key").Str() + ": " + m.Content
	case "procedure":
		m.Content = stepsText(node)
	case "fact":
		if by := node.Get("supersededBy").Str(); by != "" {
			m.Status, m.Temporal.SupersededBy = "superseded", recordID("fact", by)
		}
		if node.Get("prunedAt").Kind() == jsonscan.String {
			m.Status = "archived"
		}
	case "episode":
		projectEpisode(m, node)
	}
	if f := node.Get("confidence"); f.Kind() == jsonscan.Number {
		var value float64
		if json.Unmarshal(f.Raw(), &value) == nil && value >= 0 && value <= 1 {
			m.Confidence = &pamio.Confidence{Initial: value, Current: value, DecayModel: "none"}
		}
	}
	if strings.TrimSpace(m.Content) == "" {
		m.Content = emptyText
	}
	m.ContentHash = pamio.ContentHash(m.Content)
	return m, nil
}

func projectEpisode(m *pamio.Memory, node jsonscan.Node) {
	var e episode
	// Only the fields below are used; a field of a vendor's own type leaves the others as they are.
	_ = json.Unmarshal(node.Raw(), &e)
	m.Tags, m.Status = tagsOf(e.Categories), statusOf(&e)
	if t := e.Metadata["pam_type"]; pamTypes[t] {
		m.Type = t
	}
	if s := e.Metadata["pam_status"]; lifecycles[s] == e.LifecycleState && s != "" && (s == "retracted") == (e.DeletedAt != "") && s != "superseded" {
		m.Status = s
	}
	if p := e.Metadata["pam_platform"]; pamio.IsPlatform(p) && p != "" {
		m.Provenance.Platform = p
	}
	m.Temporal.UpdatedAt = optionalTime(node.Get("mentionTime"))
	if m.Summary == m.Content || m.Summary == firstRunes(m.Content, summaryLength) {
		m.Summary = ""
	}
}

func stepsText(node jsonscan.Node) string {
	var steps []string
	for s := range node.Get("steps").Items() {
		steps = append(steps, s.Str())
	}
	return fmt.Sprintf("%s: when %s, %s", node.Get("name").Str(), node.Get("triggerPattern").Str(), strings.Join(steps, "; "))
}

func optionalTime(n jsonscan.Node) string {
	t, err := mem.ParseTime(n.Str())
	if err != nil {
		return ""
	}
	return pamio.FormatTime(t)
}

// labels are the fields that tell a carrier's record to a person, the first that is there.
var labels = []string{"canonicalName", "label", "title", "name", "text", "edgeType", "linkType", "op", "key", "content", "id"}

func projectCarrier(kind string, line []byte, node jsonscan.Node, n int64) *pamio.Memory {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s", n, line))
	key := node.Get("id").Str()
	if key == "" || !mem.IsNative(kind) {
		key = hex.EncodeToString(sum[:12])
	}
	text := ""
	for _, name := range labels {
		if v := node.Get(name).Str(); v != "" {
			text = v
			break
		}
	}
	switch kind {
	case "edge":
		text = node.Get("srcEntityID").Str() + " " + node.Get("edgeType").Str() + " " + node.Get("dstEntityID").Str()
	case mem.Tombstone:
		text = node.Get("op").Str() + " " + node.Get("targetKind").Str()
	case "secretRef":
		text = "reference to a secret"
	}
	m := &pamio.Memory{
		ID: kind + ":" + key, Type: "custom", CustomType: "mem_" + customName(kind), Status: "archived", Content: strings.TrimSpace(kind + " " + text), Tags: []string{},
		Temporal:   pamio.Temporal{CreatedAt: memTime(node.Get("createdAt").Str(), node.Get("updatedAt").Str(), node.Get("deletedAt").Str())},
		Provenance: pamio.Provenance{Platform: "portable-memory", ExtractionMethod: "api_export"},
		Access:     &pamio.Access{Visibility: "private", Exportable: true},
	}
	m.ContentHash = pamio.ContentHash(m.Content)
	return m
}

// customName is a kind in the form of a custom type.
func customName(kind string) string {
	var b strings.Builder
	for _, r := range kind {
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteByte('_')
			b.WriteRune(r + 'a' - 'A')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// withCarrier puts a carrier into the metadata of a memory.
func withCarrier(m *pamio.Memory, key string, c *carrier) ([]byte, error) {
	text, err := json.Marshal(map[string]*carrier{key: c})
	if err != nil {
		return nil, err
	}
	m.Metadata = compactText(text)
	return m.AppendCanonical(nil)
}

// addCarried writes the record of a memory again: as it was if the memory is what the record
// becomes, else with the changes of the memory laid over it.
func (c *memOut) addCarried(m *pamio.Memory, carried *carrier) error {
	if carried.Stub != "" || carried.Kind == "manifest" {
		return nil
	}
	line := []byte(carried.Raw)
	was, err := projectRecord(carried.Kind, line, carried.N)
	if err != nil {
		return fmt.Errorf("convert memory %s: %w", m.ID, err)
	}
	metadata := m.Metadata
	m.Metadata = nil
	now, err1 := m.AppendCanonical(nil)
	before, err2 := was.AppendCanonical(nil)
	m.Metadata = metadata
	if err1 == nil && err2 == nil && string(now) == string(before) {
		return c.shadows.Add(shadowKey(carried.Kind, carried.N), line)
	}
	line, edited := overlayChanges(carried.Kind, line, was, m)
	if len(edited) == 0 {
		edited = []string{"fields that a .mem " + carried.Kind + " has no place for"}
		c.report.lose("changes of memories that came from .mem", 1)
	}
	c.report.edited(m.ID, edited...)
	return c.shadows.Add(shadowKey(carried.Kind, carried.N), line)
}

// overlayChanges lays the changes of a memory over its record and names them.
func overlayChanges(kind string, line []byte, was, now *pamio.Memory) (_ []byte, edited []string) {
	p, known := projections[kind]
	if !known {
		return line, nil
	}
	changes := map[string]any{}
	if now.Content != was.Content && kind != "preference" && kind != "procedure" {
		changes[p.content] = now.Content
		edited = append(edited, "content")
		if kind == "episode" && now.Summary == was.Summary && was.Summary == "" {
			changes["summary"] = firstRunes(now.Content, summaryLength)
		}
	}
	if value, ok := strings.CutPrefix(now.Content, strings.SplitN(was.Content, ": ", 2)[0]+": "); ok && kind == "preference" && now.Content != was.Content {
		changes["value"] = value
		edited = append(edited, "content")
	}
	if now.Summary != was.Summary && p.summary != "" {
		changes[p.summary] = now.Summary
		edited = append(edited, "summary")
	}
	if now.Confidence != nil && was.Confidence != nil && now.Confidence.Current != was.Confidence.Current {
		changes["confidence"] = roundScore(now.Confidence.Current)
		edited = append(edited, "confidence")
	}
	if kind == "episode" {
		e := newEpisode(now)
		if strings.Join(now.Tags, "\x00") != strings.Join(was.Tags, "\x00") {
			changes["categories"] = e.Categories
			edited = append(edited, "tags")
		}
		if now.Status != was.Status {
			changes["lifecycleState"] = e.LifecycleState
			changes["deletedAt"] = nil
			if e.DeletedAt != "" {
				changes["deletedAt"] = e.DeletedAt
			}
			edited = append(edited, "status")
		}
	}
	if len(edited) == 0 {
		return line, nil
	}
	out, err := withChanges(line, changes)
	if err != nil {
		return line, nil
	}
	return out, edited
}

// withChanges gives an object with members replaced, the others as they stand. Nil removes one.
func withChanges(line []byte, changes map[string]any) ([]byte, error) {
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	put := func(name string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(pamio.AppendString(out, name), ':'), value...)
	}
	for k, v := range d.Root().Fields() {
		if _, changed := changes[k.Str()]; !changed {
			put(k.Str(), v.Raw())
		}
	}
	for name, value := range changes {
		if value == nil {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		put(name, text)
	}
	return mem.Canonicalize(append(out, '}'))
}

package extract

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// AppendCandidate appends a candidate as one line of a candidates file, with its line feed. The
// text is that of the struct's JSON form, compact, with no escapes but the necessary ones: equal
// candidates give equal lines.
func AppendCandidate(dst []byte, c *normalize.Candidate) []byte {
	w := writer{dst: append(dst, '{')}
	w.says(c)
	w.text("platform", c.Platform)
	w.provenance(c)
	w.evidence("evidence", c.Evidence)
	if c.Element != nil {
		w.key("element")
		w.dst = append(w.dst, c.Element...)
	}
	return append(w.dst, '}', '\n')
}

// says appends what a candidate states.
func (w *writer) says(c *normalize.Candidate) {
	w.some("act", c.Act)
	w.text("type", c.Type)
	w.some("custom_type", c.CustomType)
	w.text("content", c.Content)
	w.number("confidence", c.Confidence)
	w.some("decay_model", c.Decay)
	w.list("tags", c.Tags)
	w.some("language", c.Language)
	if s := c.Slot; s != nil {
		w.key("slot")
		o := writer{dst: append(w.dst, '{')}
		o.text("attribute", s.Attribute)
		o.text("value", s.Value)
		o.yes("one", s.One)
		o.yes("beside", s.Beside)
		w.dst = append(o.dst, '}')
	}
	w.yes("negative", c.Negative)
	w.yes("inferred", c.Inferred)
	w.some("event_time", c.EventTime)
	w.some("valid_from", c.ValidFrom)
	w.some("valid_until", c.ValidUntil)
	w.yes("event", c.Event)
	w.endings("ends", c.Ends)
	w.entities("entities", c.Entities)
	w.some("sensitive", c.Sensitive)
	w.list("derived_from", c.DerivedFrom)
}

// provenance appends who found it.
func (w *writer) provenance(c *normalize.Candidate) {
	w.text("extraction_method", c.Method)
	w.text("extractor", c.Extractor)
	w.some("rule", c.Rule)
}

// writer appends the members of one object.
type writer struct {
	dst  []byte
	more bool
}

func (w *writer) key(key string) {
	if w.more {
		w.dst = append(w.dst, ',')
	}
	w.more = true
	w.dst = append(append(append(w.dst, '"'), key...), '"', ':')
}

func (w *writer) text(key, v string) {
	w.key(key)
	w.dst = pamio.AppendString(w.dst, v)
}

func (w *writer) some(key, v string) {
	if v != "" {
		w.text(key, v)
	}
}

func (w *writer) number(key string, v float64) {
	w.key(key)
	w.dst = strconv.AppendFloat(w.dst, v, 'f', -1, 64)
}

func (w *writer) yes(key string, v bool) {
	if v {
		w.key(key)
		w.dst = append(w.dst, "true"...)
	}
}

func (w *writer) list(key string, v []string) {
	if len(v) == 0 {
		return
	}
	w.key(key)
	w.dst = append(w.dst, '[')
	for i, s := range v {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = pamio.AppendString(w.dst, s)
	}
	w.dst = append(w.dst, ']')
}

// listSign is what stands before the element of a list.
func listSign(i int) byte {
	if i == 0 {
		return '['
	}
	return ','
}

func (w *writer) endings(key string, all []normalize.Ending) {
	if len(all) == 0 {
		return
	}
	w.key(key)
	for i, e := range all {
		o := writer{dst: append(w.dst, listSign(i), '{')}
		o.some("attribute", e.Attribute)
		o.some("value", e.Value)
		o.some("name", e.Name)
		w.dst = append(o.dst, '}')
	}
	w.dst = append(w.dst, ']')
}

func (w *writer) entities(key string, all []normalize.Entity) {
	if len(all) == 0 {
		return
	}
	w.key(key)
	for i, e := range all {
		o := writer{dst: append(w.dst, listSign(i), '{')}
		o.text("name", e.Name)
		o.some("relation", e.Relation)
		w.dst = append(o.dst, '}')
	}
	w.dst = append(w.dst, ']')
}

func (w *writer) evidence(key string, all []normalize.Evidence) {
	w.key(key)
	w.dst = append(w.dst, '[')
	for i, e := range all {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		o := writer{dst: append(w.dst, '{')}
		o.some("conversation", e.Conversation)
		o.some("message", e.Message)
		o.number("start", float64(e.Start))
		o.number("end", float64(e.End))
		o.some("quote", e.Quote)
		o.some("member", e.Member)
		o.some("pointer", e.Pointer)
		o.some("observed_at", e.ObservedAt)
		o.yes("as_of", e.AsOf)
		o.some("account_id", e.AccountID)
		o.some("listing", e.Listing)
		o.some("listed_at", e.ListedAt)
		w.dst = append(o.dst, '}')
	}
	w.dst = append(w.dst, ']')
}

// ErrCandidate is wrapped by the errors of ParseCandidate.
var ErrCandidate = errors.New("not a candidate")

// ParseCandidate reads one line of a candidates file. Members that it does not know are passed
// over. The result does not refer to line.
func ParseCandidate(line []byte) (normalize.Candidate, error) {
	var c normalize.Candidate
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		return c, fmt.Errorf("parse candidate: %w: %w", ErrCandidate, err)
	}
	root := d.Root()
	bad := func(reason string) (normalize.Candidate, error) {
		return normalize.Candidate{}, fmt.Errorf("parse candidate: %w: %s", ErrCandidate, reason)
	}
	if root.Kind() != jsonscan.Object {
		return bad("it is not an object")
	}
	if root.Flags()&(jsonscan.DuplicateKey|jsonscan.LoneSurrogate|jsonscan.BadUTF8) != 0 {
		return bad("its text is ambiguous")
	}
	c = normalize.Candidate{
		Type: root.Get("type").Str(), CustomType: root.Get("custom_type").Str(), Content: root.Get("content").Str(),
		Decay: root.Get("decay_model").Str(), Language: root.Get("language").Str(), Platform: root.Get("platform").Str(),
		Method: root.Get("extraction_method").Str(), Extractor: root.Get("extractor").Str(), Rule: root.Get("rule").Str(),
		Act: root.Get("act").Str(), Negative: root.Get("negative").True(), Inferred: root.Get("inferred").True(),
		EventTime: root.Get("event_time").Str(), Sensitive: root.Get("sensitive").Str(), Event: root.Get("event").True(),
		ValidFrom: root.Get("valid_from").Str(), ValidUntil: root.Get("valid_until").Str(),
	}
	for e := range root.Get("ends").Items() {
		c.Ends = append(c.Ends, normalize.Ending{Attribute: e.Get("attribute").Str(), Value: e.Get("value").Str(), Name: e.Get("name").Str()})
	}
	for e := range root.Get("entities").Items() {
		c.Entities = append(c.Entities, normalize.Entity{Name: e.Get("name").Str(), Relation: e.Get("relation").Str()})
	}
	if s := root.Get("slot"); s.Kind() == jsonscan.Object {
		c.Slot = &normalize.Slot{Attribute: s.Get("attribute").Str(), Value: s.Get("value").Str(), One: s.Get("one").True(),
			Beside: s.Get("beside").True()}
	}
	for id := range root.Get("derived_from").Items() {
		c.DerivedFrom = append(c.DerivedFrom, id.Str())
	}
	c.Confidence, err = strconv.ParseFloat(string(root.Get("confidence").Raw()), 64)
	if err != nil || c.Confidence < 0 || c.Confidence > 1 {
		return bad("confidence is not a number from 0 to 1")
	}
	for tag := range root.Get("tags").Items() {
		c.Tags = append(c.Tags, tag.Str())
	}
	for e := range root.Get("evidence").Items() {
		start, startOK := count(e.Get("start"))
		end, endOK := count(e.Get("end"))
		if !startOK || !endOK || end < start {
			return bad("start and end of its evidence are no span")
		}
		c.Evidence = append(c.Evidence, normalize.Evidence{
			Conversation: e.Get("conversation").Str(), Message: e.Get("message").Str(), Start: start, End: end,
			Quote: e.Get("quote").Str(), Member: e.Get("member").Str(), Pointer: e.Get("pointer").Str(),
			ObservedAt: e.Get("observed_at").Str(), AsOf: e.Get("as_of").True(), AccountID: e.Get("account_id").Str(),
			Listing: e.Get("listing").Str(), ListedAt: e.Get("listed_at").Str(),
		})
	}
	if element := root.Get("element"); element.Exists() {
		c.Element = append([]byte{}, element.Raw()...)
	}
	silent := c.Act == normalize.ActListing || c.Act == normalize.ActForbid || c.Act == normalize.ActAdopt
	switch {
	case c.Type == "" && !silent:
		return bad("it has no type")
	case c.Content == "" && !silent && !(c.Act == normalize.ActRetract && len(c.Ends) > 0):
		return bad("it has no content")
	case len(c.Evidence) == 0:
		return bad("it has no evidence")
	case c.Act == normalize.ActAdopt && len(c.Element) == 0:
		return bad("it has no element")
	}
	return c, nil
}

// count reads a number of code points; a missing one is 0.
func count(n jsonscan.Node) (int, bool) {
	if !n.Exists() {
		return 0, true
	}
	v, err := strconv.Atoi(string(n.Raw()))
	return v, err == nil && v >= 0 && v <= math.MaxInt32
}

package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ownFields are the fields of a request that the extractor alone sets.
var ownFields = []string{"model", "messages", "system", "stream"}

// parseExtraBody reads the fields that are merged into requests. Numbers keep their form.
func parseExtraBody(text json.RawMessage) (object, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var extra object
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&extra); err != nil || extra == nil || d.More() {
		return nil, errors.New("llm.extra_body is not a JSON object")
	}
	for _, name := range ownFields {
		if _, there := extra[name]; there {
			return nil, fmt.Errorf("llm.extra_body may not have the field %q", name)
		}
	}
	return extra, nil
}

// requestBody is a question as it is sent: the body of the wire format, with the extra fields.
func (x *Extractor) requestBody(text string, d dialect) ([]byte, error) {
	body, err := x.format.body(question{model: x.o.Model, text: text, maxOutput: x.o.MaxOutput, context: x.context, effort: x.o.Effort}, d)
	if err != nil || len(x.extra) == 0 {
		return body, err
	}
	var request object
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&request); err != nil {
		return nil, fmt.Errorf("merge llm.extra_body: %w", err)
	}
	mergeObjects(request, x.extra)
	if body, err = json.Marshal(request); err != nil {
		return nil, fmt.Errorf("merge llm.extra_body: %w", err)
	}
	return body, nil
}

// mergeObjects puts the fields of from into to. Objects that both have are merged, and null takes a
// field out.
func mergeObjects(to, from object) {
	for name, v := range from {
		inner, isObject := v.(object)
		old, wasObject := to[name].(object)
		switch {
		case v == nil:
			delete(to, name)
		case isObject && wasObject:
			mergeObjects(old, inner)
		default:
			to[name] = v
		}
	}
}

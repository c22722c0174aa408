package extraction

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/pamio"
)

// restrictSecrets makes a memory of a PAM store private if its words hold what would have kept a
// memory out of the store: a key, a password, the number of a card. What it says stays: the store
// is the evidence. reason is that of the gate; "" for the element as it was.
func restrictSecrets(element []byte) (out []byte, reason string, err error) {
	var words struct{ Content, Summary string }
	if err := json.Unmarshal(element, &words); err != nil {
		return nil, "", fmt.Errorf("read memory: %w", err)
	}
	for _, text := range [...]string{words.Content, words.Summary} {
		if reason == "" {
			reason = gate.Private(text)
		}
	}
	if reason == "" {
		return element, "", nil
	}
	d := json.NewDecoder(bytes.NewReader(element))
	d.UseNumber()
	var memory map[string]any
	if err := d.Decode(&memory); err != nil {
		return nil, "", fmt.Errorf("read memory: %w", err)
	}
	access, ok := memory["access"].(map[string]any)
	if !ok {
		access = map[string]any{"exportable": true, "shared_with": []any{}}
	}
	access["visibility"] = "private"
	metadata, ok := memory["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
	}
	if _, ok := metadata["sensitive"]; !ok {
		metadata["sensitive"] = reason
	}
	tags, _ := memory["tags"].([]any)
	if !slices.Contains(tags, any("sensitive")) {
		tags = append(tags, "sensitive")
	}
	memory["access"], memory["metadata"], memory["tags"] = access, metadata, tags
	text, err := json.Marshal(memory)
	if err == nil {
		out, err = pamio.Canonicalize(text)
	}
	if err != nil {
		return nil, "", fmt.Errorf("write memory: %w", err)
	}
	return out, reason, nil
}

package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The recorded model answered another prompt, with other fields. These tables translate its fields
// into those of the extractor's schema. Fields without a counterpart (attribute, value, event_time)
// stay null.
var (
	types = []struct{ label, kind string }{ // the first prefix of the label wins
		{"Personal_Background/Identity", "identity"}, {"Personal_Background", "fact"}, {"Preferences/Interaction", "instruction"},
		{"Preferences", "preference"}, {"Constraints", "preference"}, {"Social_Relationships", "relationship"}, {"Thoughts/Goals", "goal"},
		{"Thoughts", "preference"}, {"States_Experiences", "context"}, {"Skills", "skill"}, {"", "fact"},
	}
	stabilities = map[string]string{
		"recent": "temporary", "short_term": "temporary", "current": "temporary", "temporary": "temporary", "present": "temporary", "specific_event": "temporary",
	}
	denials = map[string]bool{"dislike": true, "avoid": true, "avoidance": true, "negative": true}
)

// wireMemory is a memory in the extractor's schema.
type wireMemory map[string]any

// translate gives a recorded memory the form of the extractor's schema. number is that of the cited
// turn in the question.
func translate(m *memory, number int) wireMemory {
	kind := ""
	for _, t := range types {
		if strings.HasPrefix(m.Label, t.label) {
			kind = t.kind
			break
		}
	}
	stability, ok := stabilities[m.Scope]
	if !ok {
		stability = "durable"
	}
	polarity := "positive"
	if denials[m.Attitude] {
		polarity = "negative"
	}
	evidence := []map[string]any{}
	for _, q := range m.quotes() {
		evidence = append(evidence, map[string]any{"turn": number, "quote": q})
	}
	// Annotators set the confidence of what they rejected to nearly nothing: the model did not say
	// that, so that it says nothing here. All memories count as sure.
	return wireMemory{
		"type": kind, "content": m.Value, "subject": "user", "evidence": evidence, "polarity": polarity, "stability": stability,
		"explicit": m.Kind == "direct", "event_time": nil, "confidence": "high", "attribute": nil, "value": nil, "sensitive": nil,
		"status": "current", "replaces": nil, "people": []any{}, "derived_from": []int{},
	}
}

// answerText is the JSON object that a model gives for some memories.
func answerText(all []wireMemory) (string, error) {
	text, err := json.Marshal(map[string]any{"memories": all, "injection_suspected": false})
	if err != nil {
		return "", fmt.Errorf("write answer: %w", err)
	}
	return string(text), nil
}

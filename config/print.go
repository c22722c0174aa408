package config

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Print writes the settings as a YAML file that [Load] reads again, secrets hidden. A hidden secret
// is commented out, so that the word in its place is never taken for the secret.
func (c *Config) Print(w io.Writer) error {
	var b strings.Builder
	for _, f := range Fields() {
		depth := strings.Count(f.Key, ".")
		indent, name := strings.Repeat("  ", depth), f.Key[strings.LastIndexByte(f.Key, '.')+1:]
		switch {
		case f.Type == "section":
			fmt.Fprintf(&b, "%s%s:\n", indent, name)
		case f.Type == "secret" && f.text(c) != "":
			fmt.Fprintf(&b, "%s# %s: %s\n", indent, name, Hidden)
		case f.Type == "whole number" || f.Type == "yes or no" || f.Type == "size" || f.Type == "duration":
			fmt.Fprintf(&b, "%s%s: %s\n", indent, name, f.text(c))
		default:
			fmt.Fprintf(&b, "%s%s: %s\n", indent, name, strconv.Quote(f.text(c)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// MarshalJSON writes the settings by their keys, sections nested, secrets hidden.
func (c *Config) MarshalJSON() ([]byte, error) {
	root := make(map[string]any)
	for _, f := range Fields() {
		at, parts := root, strings.Split(f.Key, ".")
		for _, p := range parts[:len(parts)-1] {
			at = at[p].(map[string]any)
		}
		name := parts[len(parts)-1]
		switch f.Type {
		case "section":
			at[name] = make(map[string]any)
		case "whole number", "yes or no":
			at[name] = f.in(c).Interface()
		default:
			at[name] = f.text(c)
		}
	}
	return json.Marshal(root)
}

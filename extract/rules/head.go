package rules

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// head is the part of a table by which texts of its language are recognized.
type head struct {
	Language string   `yaml:"language"`
	Elisions []string `yaml:"elisions"`
	Marks    words    `yaml:"marks"`
	Script   bool     `yaml:"script"`
	// changing tells that the language has a table of changes.
	changing bool
}

// headKeys are the keys of a table that make its head.
var headKeys = [...]string{"language:", "elisions:", "marks:", "script:"}

// parseHead reads the head of a table, and parses nothing else of it.
func parseHead(text []byte) (*head, error) {
	var h head
	if err := yaml.Unmarshal(cutHead(text), &h); err != nil {
		return nil, fmt.Errorf("parse head of table: %w", err)
	}
	return &h, nil
}

// cutHead gives the lines of the keys of a head. A key at the beginning of a line has all lines up
// to the next one.
func cutHead(text []byte) []byte {
	var out []byte
	inHead := false
	for line := range bytes.Lines(text) {
		if c := line[0]; c >= 'a' && c <= 'z' {
			inHead = beginsHeadKey(line)
		}
		if inHead {
			out = append(out, line...)
		}
	}
	return out
}

func beginsHeadKey(line []byte) bool {
	for _, k := range headKeys {
		if bytes.HasPrefix(line, []byte(k)) {
			return true
		}
	}
	return false
}

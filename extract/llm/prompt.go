package llm

import (
	"bytes"
	_ "embed" // the prompt and the schema are files of their own
	"encoding/json"
	"strings"
)

// system is the system prompt. It is the same for every request, so that services can cache it, and
// its examples cannot be taken for facts: their tokens (exampleToken) give an answer away that
// copies them.
//
//go:embed system.txt
var system string

// exampleToken is what stands for names and things in the prompt's examples, before a digit.
const exampleToken = "xq"

//go:embed schema.json
var schemaFile []byte

// schema is the JSON Schema of an answer, compact. Everything is required and nothing else allowed,
// as strict modes want it.
var schema = compact(schemaFile)

// toolName and toolPurpose are those of the function that the model is made to call where it cannot
// be held to a schema.
const (
	toolName    = "record_memories"
	toolPurpose = "Records the list of memories."
)

func compact(text []byte) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		panic("schema.json: " + err.Error()) // it is a part of the program, and a test reads it
	}
	return b.Bytes()
}

// copiesExample tells whether a text has a token of the prompt's examples.
func copiesExample(text string) bool {
	for rest := strings.ToLower(text); ; {
		i := strings.Index(rest, exampleToken)
		if i < 0 {
			return false
		}
		rest = rest[i+len(exampleToken):]
		if rest != "" && rest[0] >= '1' && rest[0] <= '9' && (len(rest) == 1 || !isDigit(rest[1])) {
			return true
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

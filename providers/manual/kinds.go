package manual

import (
	"strings"
	"unicode"

	"github.com/pamline/pamline/providers/importer"
)

// categories are the words of headings that say what kind of record stands below them, in the order
// in which they are tried: those that assistants answer with to the usual questions. What stands
// below any other heading is a memory.
var categories = []struct {
	kind    string
	phrases []string
}{
	{importer.RecordInstruction, []string{
		"instruction", "instructions", "custom instructions", "rules", "guidelines", "how to respond", "how you should respond",
		"response style", "response preferences", "communication style", "communication preferences", "tone and style",
		"anweisungen", "instrucciones", "instruções", "istruzioni",
	}},
	{importer.RecordProject, []string{"project", "projects", "projekte", "projets", "proyectos", "projetos", "progetti"}},
	{importer.RecordProfile, []string{
		"identity", "profile", "about me", "about you", "about the user", "who i am", "who you are", "personal details", "personal information",
		"personal info", "basic information", "demographics", "biography", "bio", "identität", "identité", "identidad", "identidade", "identità",
	}},
}

// kindOf is the kind of a record below some headings, outermost first: the nearest that says one
// decides.
func kindOf(headings []string) string {
	for i := len(headings) - 1; i >= 0; i-- {
		words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(headings[i]), func(r rune) bool {
			return !unicode.IsLetter(r) && r != '\''
		}), " ") + " "
		for _, c := range categories {
			for _, p := range c.phrases {
				if strings.Contains(words, " "+p+" ") {
					return c.kind
				}
			}
		}
	}
	return importer.RecordMemory
}

package restate

import (
	"embed"
	"fmt"
	"slices"
	"sync"

	"github.com/pamline/pamline/extract/frozen"
	"github.com/pamline/pamline/extract/lexicon"
)

//go:embed tables/*.yaml
var files embed.FS

// table is what a language needs. All words are in lower case.
type table struct {
	Language string `yaml:"language"`
	// Subjects name the person from outside: "the user". Spaced tells that words are written with
	// spaces between them.
	Subjects []string `yaml:"subjects"`
	Spaced   bool     `yaml:"spaced"`
	// Pronouns stand for the person once a sentence was about them; First begins a sentence in the
	// first person, "" where the verb says it.
	Pronouns []string `yaml:"pronouns"`
	First    string   `yaml:"first"`
	// Genitives name the person as an owner: "user's". Mine is what stands in their place in the
	// first person, Theirs in the third.
	Genitives []string `yaml:"genitives"`
	Mine      string   `yaml:"mine"`
	Theirs    string   `yaml:"theirs"`
	// Possessives lead from the third person to the first, Neutral to the one word that memories
	// use.
	Possessives map[string]string `yaml:"possessives"`
	Neutral     map[string]string `yaml:"neutral"`
	// PronounOf is the pronoun that belongs to a possessive.
	PronounOf map[string]string `yaml:"pronoun_of"`
	// Verbs lead from the third person to the first, as whole words; Endings do so for the ends of
	// words that are in no list.
	Verbs   map[string]string `yaml:"verbs"`
	Endings []ending          `yaml:"endings"`
	// Own are the beginnings of sentences in the first person, with what the third person makes of
	// them.
	Own map[string]string `yaml:"own"`
	// Oblique are beginnings of sentences that name the person in other cases, with those of the
	// first person.
	Oblique map[string]string `yaml:"oblique"`
	// Adverbs may stand between subject and verb; Joins join two verbs of one subject.
	Adverbs []string `yaml:"adverbs"`
	Joins   []string `yaml:"joins"`
	// Labels make a sentence of what follows a colon or stands below a heading; {x} is the text.
	Labels map[string]string `yaml:"labels"`
	// Kin are the words for relatives and animals, behind which a name may follow.
	Kin []string `yaml:"kin"`
	// With joins a relative to what was said before: "with his wife Anja".
	With []string `yaml:"with"`
	// Lives are forms of "to live" in the first person. Has and Named are the sentences about a
	// relative {k} with the name {x}.
	Lives []string `yaml:"lives"`
	Has   string   `yaml:"has"`
	Named string   `yaml:"named"`
	// NameJoin stands between a relative and the name: "a son named Max".
	NameJoin string `yaml:"name_join"`

	// Turns are words that add another thing to a sentence, with the beginning of the sentence that
	// it becomes: "based in" of "I live in". Aged is the sentence about an age {n} before a noun.
	// Parents are the words behind whom In begins a place, Past the endings of verbs that are in no
	// list.
	Turns   map[string]string `yaml:"turns"`
	Aged    string            `yaml:"aged"`
	Parents []string          `yaml:"parents"`
	In      []string          `yaml:"in"`
	Past    []string          `yaml:"past"`
	// Together are pronouns for the person with somebody else: "they have two children".
	Together []string `yaml:"together"`
	// Am is "to be" in the first person.
	Am string `yaml:"am"`

	back map[string]string // verbs from the first person to the third
}

// ending is one of several in order: the first that a word has counts.
type ending struct {
	Third string `yaml:"third"`
	First string `yaml:"first"`
}

var tables = sync.OnceValue(func() []*table {
	all, err := frozen.Table(frozenName, compileTables)
	if err != nil {
		panic(fmt.Sprintf("restate: a table of the build is broken: %v", err))
	}
	return all
})

// frozenName is the name under which the compiled tables are frozen.
const frozenName = "restate"

func compileTables() ([]*table, error) { return lexicon.ReadTables(files, parseTable) }

// Freeze compiles the tables for package frozen.
func Freeze() (frozen.Frozen, error) {
	all, err := compileTables()
	return frozen.Freeze(frozenName, all, err)
}

func parseTable(text []byte) (*table, error) {
	t := &table{}
	if err := lexicon.DecodeTable(text, t); err != nil {
		return nil, err
	}
	longest := func(a, b string) int { return len(b) - len(a) }
	for _, list := range [][]string{t.Subjects, t.Pronouns, t.Genitives, t.Kin, t.With} {
		slices.SortStableFunc(list, longest)
	}
	t.back = map[string]string{}
	for third, first := range t.Verbs {
		if old, ok := t.back[first]; !ok || third < old {
			t.back[first] = third
		}
	}
	return t, nil
}

// tableOf gives the table of a language, nil for none.
func tableOf(language string) *table {
	for _, t := range tables() {
		if t.Language == language {
			return t
		}
	}
	return nil
}

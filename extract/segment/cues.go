package segment

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/pamline/pamline/extract/frozen"
)

// class is what a phrase of the tables is a sign of; a phrase may be of several.
type class uint32

// The classes, by their names in the tables. "Fresh" is the start of a sentence or line, fillers
// passed over.
const (
	filler     class = 1 << iota // may stand before a verb: "please", "can you"
	transform                    // fresh: works on a text that is given: "translate", "make it longer"
	compose                      // fresh: asks for a new text: "write", "create"
	command                      // fresh: another order: "answer", "analyze"
	fiction                      // anywhere in a sentence that asks for a new text: "story", "screenplay"
	essay                        // the same: "essay", "cover letter"
	given                        // anywhere: points at a text that is given: "this text", "the following"
	greeting                     // line start, before a name: "dear", "sehr geehrte"
	hello                        // line start, before a name and a comma, weaker: "hi", "hallo"
	opening                      // fresh: first words of a letter: "I am writing to"
	closing                      // line start of a short line: "best regards"
	assistant                    // after a greeting it is no letter: "chatgpt"
	role                         // fresh: hands out roles: "act as", "pretend"
	roleWeak                     // the first words of a longer message: "you are a"
	roleAny                      // anywhere, and of the whole message: "stay in character"
	profession                   // anywhere behind a role: "expert", "translator"; it changes the assistant, and the person stays who they are
	leave                        // anywhere: ends the make-believe
	first                        // anywhere: words of the first person
	header                       // line start, before a colon: heads of mails
	resume                       // a whole line: headings of a curriculum vitae
	sheet                        // line start, before a colon: fields of a character
	lyrics                       // a whole line, brackets and numbers put aside: "verse", "chorus"
	talk                         // fresh: speaks to the assistant: "can you", "what do you think"
	voice                        // fresh, before a colon: who speaks in a script, or what kind of text follows: "user", "anna", "poem"
	cast                         // anywhere behind role_weak: figures of make-believe: "vampire", "i am your"
	game                         // anywhere behind a role: what is only played: "game master"; a profession beside it is a part, too
	both                         // anywhere behind role_weak in its sentence: who the person plays: "and i am the"
	lasting                      // anywhere behind transform: an order that holds for later messages: "everything i write"
	others                       // anywhere: a text of somebody else or of nobody: "reply to this", "translate", "my student"
	sentence                     // anywhere: what is handed over is a sentence, and an exercise if it is short: "this sentence"
	answered                     // anywhere: a letter or post is handed over to be answered: "reply to this"
)

var classNames = map[string]class{
	"filler": filler, "transform": transform, "compose": compose, "command": command, "fiction": fiction, "essay": essay, "given": given,
	"greeting": greeting, "hello": hello, "opening": opening, "closing": closing, "assistant": assistant, "role": role, "role_weak": roleWeak, "role_anywhere": roleAny,
	"profession": profession, "leave": leave, "first_person": first, "mail_header": header, "resume": resume, "character_sheet": sheet, "lyrics": lyrics, "talk": talk,
	"voice": voice, "cast": cast, "both": both, "game": game, "lasting": lasting, "others": others, "sentence": sentence, "answered": answered,
}

// anywhere are the classes that count wherever they stand.
const anywhere = fiction | essay | given | assistant | roleAny | profession | leave | cast | both | game | lasting | others | sentence | answered

// languagesFile is the table of the languages themselves; the others are tables of phrases.
const languagesFile = "languages.yaml"

//go:embed tables/*.yaml
var tables embed.FS

// cues is all phrases of all languages.
var cues = sync.OnceValue(func() *phrases {
	p, err := frozen.Table(cuesName, compileCues)
	if err != nil {
		panic(err) // the tables are part of the program; a test reads them
	}
	return p
})

// cuesName is the name under which the compiled cues are frozen.
const cuesName = "segment-cues"

func compileCues() (*phrases, error) { return readCues(tables) }

func readCues(files fs.FS) (*phrases, error) {
	names, err := fs.Glob(files, "tables/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list cue tables: %w", err)
	}
	var list []phrase
	for _, name := range names {
		if path.Base(name) == languagesFile {
			continue
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read cue table: %w", err)
		}
		var table map[string][]string
		if err := yaml.Unmarshal(data, &table); err != nil {
			return nil, fmt.Errorf("read cue table %s: %w", name, err)
		}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			c, ok := classNames[key]
			if !ok {
				return nil, fmt.Errorf("read cue table %s: there is no class %q", name, key)
			}
			for _, words := range table[key] {
				list = append(list, phrase{words, c})
			}
		}
	}
	p, err := newPhrases(list)
	if err != nil {
		return nil, fmt.Errorf("read cue tables: %w", err)
	}
	return p, nil
}

// phrase is one of a table.
type phrase struct {
	words string
	class class
}

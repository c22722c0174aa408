package rules

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/pamline/pamline/extract/lexicon"
	"go.yaml.in/yaml/v3"
)

//go:embed changes/*.yaml
var changeFiles embed.FS

// changes is a table of changes as it is written: changes/README.md explains each key.
type changes struct {
	Language string            `yaml:"language"`
	Classes  map[string]words  `yaml:"classes"`
	English  map[string]string `yaml:"english"`
	Beside   words             `yaml:"beside"`
	Leads    words             `yaml:"leads"`
	Now      words             `yaml:"now"`
	Just     words             `yaml:"just"`
	Parts    words             `yaml:"parts"`
	Fronts   words             `yaml:"fronts"`
	Whole    words             `yaml:"whole"`
	Adjuncts words             `yaml:"adjuncts"`
	Links    words             `yaml:"links"`
	// Frames are patterns that tell of a game, a dream or a story, Figures those of figures of
	// speech in which nobody dies or parts.
	Frames  []string `yaml:"frames"`
	Figures []string `yaml:"figures"`
	// The lists from Passing to Causes are words of the guards.
	Passing words `yaml:"passing"`
	Generic words `yaml:"generic"`
	Actors  words `yaml:"actors"`
	Selves  words `yaml:"selves"`
	Scenes  words `yaml:"scenes"`
	Places  words `yaml:"places"`
	People  words `yaml:"people"`
	Hours   words `yaml:"hours"`
	Behind  words `yaml:"behind"`
	Losing  words `yaml:"losing"`
	Causes  words `yaml:"causes"`
	// Manner are the endings of words that tell how something happened.
	Manner []string `yaml:"manner"`
	// Impersonal tells that verbs do not tell the person.
	Impersonal bool  `yaml:"impersonal"`
	Capitals   bool  `yaml:"capitals"`
	Lights     words `yaml:"lights"`
	Inside     bool  `yaml:"times_inside"`
	// Simple leads from a verb in the form behind a light verb to that in which changes are told.
	Simple      map[string]map[string]string `yaml:"simple"`
	Tails       words                        `yaml:"tails"`
	Cuts        words                        `yaml:"cuts"`
	Forget      forgetting                   `yaml:"forget"`
	Recurring   words                        `yaml:"recurring"`
	Upcoming    words                        `yaml:"upcoming"`
	Lasting     words                        `yaml:"lasting"`
	Months      words                        `yaml:"months"`
	Units       words                        `yaml:"units"`
	Weekdays    words                        `yaml:"weekdays"`
	Times       []timeRule                   `yaml:"times"`
	Written     written                      `yaml:"written"`
	Transitions []transition                 `yaml:"transitions"`
}

// forgetting is how a person asks to forget.
type forgetting struct {
	That     []string `yaml:"that"`
	About    []string `yaml:"about"`
	Topics   words    `yaml:"topics"`
	Examples []string `yaml:"examples"`
	Counter  []string `yaml:"counter"`
}

// timeRule tells what time some words name.
type timeRule struct {
	At       string   `yaml:"at"`
	Since    bool     `yaml:"since"`
	Lasting  bool     `yaml:"lasting"`
	Until    bool     `yaml:"until"`
	Patterns []string `yaml:"patterns"`
}

// written is how times are written in contents.
type written struct {
	Months []string `yaml:"months"`
	Day    string   `yaml:"day"`
	Month  string   `yaml:"month"`
	Year   string   `yaml:"year"`
	// Since are the same, of a time from which on something holds.
	SinceDay   string `yaml:"since_day"`
	SinceMonth string `yaml:"since_month"`
	SinceYear  string `yaml:"since_year"`
	// UntilMonth is the same of a month until which something holds.
	UntilMonth string `yaml:"until_month"`
}

// transition is one change in a life: what it ends, what begins with it, and what is worth keeping
// of it.
type transition struct {
	Name      string    `yaml:"name"`
	Type      string    `yaml:"type"`
	Says      texts     `yaml:"says"`
	Sensitive string    `yaml:"sensitive"`
	Ends      []string  `yaml:"ends"`
	Opens     []opening `yaml:"opens"`
	Entity    string    `yaml:"entity"`
	Mention   bool      `yaml:"mention"`
	Plan      bool      `yaml:"plan"`
	Corrects  bool      `yaml:"corrects"`
	Strong    bool      `yaml:"strong"`
	Broad     bool      `yaml:"broad"`
	MaxTokens int       `yaml:"max_tokens"`
	Without   []string  `yaml:"without"`
	Unless    []string  `yaml:"unless"`
	Patterns  []string  `yaml:"patterns"`
	Scattered []string  `yaml:"scattered"`
	Said      []string  `yaml:"said"`
	Unsaid    []string  `yaml:"unsaid"`
	Follows   []string  `yaml:"follows"`
	Examples  []string  `yaml:"examples"`
	Counter   []string  `yaml:"counter"`
}

// opening is a statement that holds from a change on.
type opening struct {
	Type      string `yaml:"type"`
	Says      texts  `yaml:"says"`
	Slot      *slot  `yaml:"slot"`
	Negative  bool   `yaml:"negative"`
	Sensitive string `yaml:"sensitive"`
}

// texts is one text or a list: of several templates, the first one that can be filled is taken.
type texts []string

// UnmarshalYAML reads both forms.
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*t = texts{n.Value}
		return nil
	}
	return n.Decode((*[]string)(t))
}

// hasChanges tells whether a language has a table of changes.
func hasChanges(language string) bool {
	_, err := fs.Stat(changeFiles, path.Join("changes", language+".yaml"))
	return err == nil
}

// readChanges reads the changes of a language; a language without a table has none.
func readChanges(language string) (*changes, error) {
	name := path.Join("changes", language+".yaml")
	text, err := changeFiles.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	c, err := parseChanges(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if c.Language != language {
		return nil, fmt.Errorf("read %s: language is %q", name, c.Language)
	}
	return c, nil
}

// parseChanges reads a table of changes.
func parseChanges(text []byte) (*changes, error) {
	var c changes
	if err := lexicon.DecodeTable(text, &c); err != nil {
		return nil, err
	}
	return &c, nil
}

package rules

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/extract/lexicon"
	"go.yaml.in/yaml/v3"
)

// source is a table as it is written: tables/README.md explains each key.
type source struct {
	head        `yaml:",inline"`
	Aliases     map[string]string `yaml:"aliases"`
	Letters     map[string]string `yaml:"letters"`
	Turn        map[string]string `yaml:"turn"`
	Others      map[string]string `yaml:"others"`
	Verbs       map[string]string `yaml:"verbs"`
	Classes     map[string]words  `yaml:"classes"`
	Lexicon     *lexemes          `yaml:"lexicon"`
	Families    []family          `yaml:"families"`
	Fillers     words             `yaml:"fillers"`
	Skips       words             `yaml:"skips"`
	Frequency   words             `yaml:"frequency"`
	Typed       words             `yaml:"typed"`
	Definite    words             `yaml:"definite"`
	Pointers    words             `yaml:"pointers"`
	Dangling    words             `yaml:"dangling"`
	Degrees     words             `yaml:"degrees"`
	Stops       words             `yaml:"stops"`
	Restricts   words             `yaml:"restricts"`
	Relatives   words             `yaml:"relatives"`
	Joins       words             `yaml:"joins"`
	Alternate   words             `yaml:"alternatives"`
	Having      words             `yaml:"having"`
	Subjects    words             `yaml:"subjects"`
	Carry       words             `yaml:"carry"`
	Runon       words             `yaml:"runon"`
	Binds       words             `yaml:"binds"`
	Copula      words             `yaml:"copula"`
	Infinitive  words             `yaml:"infinitives"`
	Tails       words             `yaml:"tails"`
	Lessens     words             `yaml:"lessens"`
	AsksBack    words             `yaml:"asks_back"`
	Hypothesis  words             `yaml:"hypothetical"`
	Certain     words             `yaml:"certain"`
	Reported    words             `yaml:"reported"`
	Negators    words             `yaml:"negators"`
	Vague       words             `yaml:"vague"`
	Articles    words             `yaml:"articles"`
	Tasks       words             `yaml:"tasks"`
	Numbers     words             `yaml:"numbers"`
	Ordinals    words             `yaml:"ordinals"`
	Faint       words             `yaml:"faint"`
	Homonyms    words             `yaml:"homonyms"`
	Singular    map[string]string `yaml:"singular"`
	Tells       map[string]string `yaml:"tells"`
	Euphony     map[string]string `yaml:"euphony"`
	Counted     words             `yaml:"counted"`
	Describing  words             `yaml:"describing"`
	Predicates  []string          `yaml:"predicates"`
	Mends       string            `yaml:"mends"`
	Doubts      words             `yaml:"doubts"`
	Completed   words             `yaml:"completed"`
	Completes   words             `yaml:"completes"`
	Finite      words             `yaml:"finite"`
	Boilerplate words             `yaml:"boilerplate"`
	Proper      words             `yaml:"proper"`
	Timed       words             `yaml:"timed"`
	Premodify   bool              `yaml:"premodifies"`
	FullStop    string            `yaml:"full_stop"`
	Enumerates  bool              `yaml:"enumerates"`
	Chains      bool              `yaml:"chains"`
	Suffixed    bool              `yaml:"suffixed"`
	Proclitic   string            `yaml:"proclitic"`
	Works       []string          `yaml:"works"`
	Plays       []string          `yaml:"plays"`
	CopulaSaid  string            `yaml:"copula_said"`
	// changes is the table of changes of the language, nil for none.
	changes *changes
}

// family is a set of patterns that say one thing.
type family struct {
	Name       string   `yaml:"name"`
	Confidence float64  `yaml:"confidence"`
	Strong     bool     `yaml:"strong"`
	Talk       bool     `yaml:"talk"`
	Mention    bool     `yaml:"mention"`
	Chats      float64  `yaml:"chats"`
	Inner      bool     `yaml:"inner"`
	NoCarry    bool     `yaml:"no_carry"`
	Faint      bool     `yaml:"faint"`
	Alone      bool     `yaml:"alone"`
	Head       bool     `yaml:"head"`
	Frequent   bool     `yaml:"frequent"`
	Open       bool     `yaml:"open"`
	MaxTokens  int      `yaml:"max_tokens"`
	Unless     []string `yaml:"unless"`
	Without    []string `yaml:"without"`
	Examples   []string `yaml:"examples"`
	Counter    []string `yaml:"counter"`
	Patterns   []string `yaml:"patterns"`
	Says       `yaml:",inline"`
	// Also are further statements that follow from the same words. What one leaves out is as in the
	// family, but for act, slot, negative and sensitive.
	Also []Says `yaml:"also"`
}

// Says is what a match states.
type Says struct {
	Type      string `yaml:"type"`
	Content   string `yaml:"content"`
	Act       string `yaml:"act"`
	Decay     string `yaml:"decay"`
	Sensitive string `yaml:"sensitive"`
	Negative  bool   `yaml:"negative"`
	Slot      *slot  `yaml:"slot"`
}

type slot struct {
	Attribute string `yaml:"attribute"`
	Value     string `yaml:"value"`
	One       bool   `yaml:"one"`
}

// words is a list of words and phrases, or a map of them to what they stand for.
type words struct {
	list []pair
}

type pair struct{ said, canonical string }

// UnmarshalYAML reads both forms, in the order of the file.
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.SequenceNode:
		var list []string
		if err := n.Decode(&list); err != nil {
			return err
		}
		for _, s := range list {
			w.list = append(w.list, pair{s, s})
		}
		return nil
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			var key, value string
			if err := errors.Join(n.Content[i].Decode(&key), n.Content[i+1].Decode(&value)); err != nil {
				return err
			}
			w.list = append(w.list, pair{key, value})
		}
		return nil
	}
	return fmt.Errorf("line %d: neither a list nor a map", n.Line)
}

// parseTable reads a table.
func parseTable(text []byte) (*source, error) {
	var s source
	if err := lexicon.DecodeTable(text, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

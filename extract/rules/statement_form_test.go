package rules

import (
	"slices"
	"testing"
)

// TestStatementsAreGrammaticalAndWhole says for words that are left out, misspelled or cut off what
// becomes of them.
func TestStatementsAreGrammaticalAndWhole(t *testing.T) {
	x := New()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"i am lecturer at a college in Leeds", []string{"Is a lecturer at a college in Leeds."}},
		{"I have japanese bookcase in the hall.", []string{"Has a Japanese bookcase in the hall."}},
		{"One of my sisters is teacher and another one is artist.", []string{"One of their sisters is a teacher and another one is an artist.", "Has sisters."}},
		{"We are hosting a dinner for 14 people, two are vegan and one is celiac.", []string{"Is hosting a dinner for 14 people."}},
		{"I love Alien and The Thing.", []string{"Loves Alien and The Thing."}},
		{"I'm 52 and had surgery on a knee.", []string{"Is 52 years old."}},
		{"I can't have gluten", []string{"Cannot have gluten."}},
		{"Give me a backstory. I am a half-elf ranger.", nil},
		{"I have house plants.", []string{"Has house plants."}},
		{"I started learning the oboe when l was 7 years old.", []string{"Started learning the oboe when they were 7 years old."}},
		{"I would love to visit Iceland and see how they fish.", []string{"Would like to visit Iceland."}},
		{"I want to learn how to sail a dinghy.", []string{"Wants to learn how to sail a dinghy."}},
		{"I'm writing a letter to explain why we moved.", nil},
		{"All the formulas I use are in the second sheet.", nil},
		{"I would like to do this on my own.", nil},
		{"I'm hoping to do a longer trip this summer with my bike.", []string{"Wants to do a longer trip this summer with their bike.", "Has a bike."}},
		{"Is it true that I have an eating disorder?", nil},
		{"I'm afraid that I have diabetes.", nil},
		{"My Parrot Is A Pear Today", nil},
		{"A possible scenario:\nMy girlfriend Ann sent me a box. I live in a castle.", nil},
		{"I'm not telling my boss.", nil},
		{"I was in shock when they called.", nil},
		{"One day a truck\ncut me off in traffic.", nil},
		{"The file is written as a single, continuous line.", nil},
		{"I don't like the loud and the crowded halls, they tire me.", []string{"Does not like the loud and the crowded halls."}},
		{"I love cellos and the choir is good.", []string{"Loves cellos."}},
		{"My uncle is a engineer for a dairy.", []string{"Their uncle is an engineer for a dairy."}},
		{"I have no any siblings.", []string{"Has no siblings."}},
		{"We have selected Mara for the post.", nil},
		{"How long do I have asthma if I smoke?", nil},
		{"I've worked with dry ice before.", []string{"Has worked with dry ice before."}},
		{"I weigh a normal amount.", nil},
		{"Brunost is my favourite.", []string{"Likes Brunost best."}},
		{"I lost my keys.", nil},
		{"I am a fully-funded student and the college grants me a room.", []string{"Is a fully-funded student."}},
		{"I want to travel to Oman and work in Oman.", []string{"Wants to travel to Oman."}},
		{"There is this stuff I post on Mondays.", nil},
		{"They reduced the model that I bought by phone.", nil},
		{"I am employed at a bank in Graz and holding the post of a clerk.", []string{"Works at a bank in Graz."}},
		{"I like tea and swimming.", []string{"Likes tea and swimming."}},
		{"I don't play darts very much.", []string{"Does not play darts very much."}},
		{"I hate long trains sometimes.", []string{"Hates long trains sometimes."}},
		{"I would love to go to Bergen and see what he painted.", []string{"Would like to go to Bergen."}},
		{"My grandpa was a miner.", []string{"Their grandpa was a miner."}},
		{"I'm writing a novel about me and my ferry.", []string{"Is writing a novel about themself and their ferry."}},
		{"I'm working on a opera about otters.", []string{"Is working on an opera about otters."}},
	} {
		got, report := x.Extract(talked(c.text), nil)
		var contents []string
		for i := range got {
			contents = append(contents, got[i].Content)
		}
		if !slices.Equal(contents, c.want) {
			t.Errorf("%q gives %q, not %q; passed over: %v", c.text, contents, c.want, report.Skipped)
		}
	}
}

// Package restate brings sentences that a provider wrote about a person into one grammatical
// person. "User lives in Graz", "Anna lives in Graz", "She lives in Graz", "Lives in Graz" and "I
// live in Graz" say the same thing: each has the first person "I live in Graz", which package rules
// reads, and the form of a memory "Lives in Graz.", the third person without a subject.
//
// What a language needs is data: tables/<language>.yaml. Forms of verbs that no table lists come
// from the rule tables.
package restate

// Sentence is one sentence of a record in both persons.
type Sentence struct {
	// Said is the sentence as the provider wrote it.
	Said string
	// First is the sentence in the first person; "" for a sentence about somebody else.
	First string
	// Third is the sentence as a memory: without a subject, with a capital and a full stop.
	Third string
	// Language is that of the words, "" for an unknown one.
	Language string
	// Label is what stood before a colon: "Hobbies" in "Hobbies: chess". First and Third are of the
	// sentence made of both.
	Label string
}

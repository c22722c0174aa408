// Package rules finds memories without a model: it reads what a person states in so many words by
// patterns over words.
//
// The patterns are data, a table for each language, which a contributor can read and extend:
// tables/README.md tells how. A message is cut into the person's own talk (extract/segment),
// sentences, clauses and words; where a clause begins, the patterns of the language are matched by
// a trie, and the best one gives a statement: its type, a slot that can be compared, and a content
// in the person's language, made of a template and the words as they were said. Guards drop what is
// asked, imagined, reported, quoted or says nothing; the gate (extract/gate) drops what must not be
// a memory.
//
// The confidence of a statement is the measured precision of its family of patterns
// (tools/rulescore).
//
// What was passed over is counted in the report:
//
//	do_not_remember   the person marked the conversation so
//	prompts_only      the conversation is a list of prompts, without a talk
//	pretending        a message of a make-believe
//	segment_…         a part of a message that is no talk of the person's own: letter, pasted, code, …
//	language          a passage in no language that there is a table for
//	quoted, hypothetical, reported, other, question, vague, without, setting, faint, dangling,
//	inside, once, pointer, long, denied, imagined, figure, hours, kind, cut, passing
//	                  a match that a guard dropped (tables/README.md, changes/README.md)
//	too_many          the rest of a passage in a message that has given 64 statements
//	others            reasons of the gate
package rules

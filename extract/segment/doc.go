// Package segment tells what of a person's message is the person's own plain talk.
//
// People paste into a chat what they want worked on: letters, essays, scripts, logs, the talk of
// others. A sentence "I live in Paris" in such a text says nothing about the person. [Message] cuts
// a message into segments and names each by its [Kind]; only [Prose] is evidence. [Frame] follows a
// conversation and tells when it is make-believe, [Language] and [Vote] tell the language, and
// [Sentences] cuts prose into sentences.
//
// What is found by layout (fences, tables, quote marks, logs) needs no language. What is found by
// words (greetings, "please rewrite this:", "act as") lies in tables/<language>.yaml, a list of
// phrases a class; see [class] for what each is for. The tables of all languages are searched at
// once, since people mix languages: a French letter with an English head.
//
// Everything here is a pure function of the text, linear in its length, and safe for concurrent
// use.
package segment

// Package lexicon finds words and phrases in texts: the tokenizer and the matcher of the gate, of
// the segments and of the sensitive contents.
//
//	Tokenizer  where words begin and end, and the form in which they are compared
//	Builder    compiles the phrases of tables
//	Phrases    the phrases, compiled
//	Scan       reads a text and finds the phrases that begin at each word
//
// A phrase is a sequence of steps. A step is a word, all words with a common beginning or end, or
// one word of several, which may be missing, have other words before it, or stand for the end of a
// clause. What a phrase means is the caller's: a scan gives numbers.
//
// [Words] numbers words, and [Edges] are the tree over these numbers. Package rules uses both with
// a tokenizer and a matcher of its own: its patterns capture what stands between their words, and
// where a word ends is a matter of its language.
package lexicon

// Package search finds words in the conversations and memories of a bundle.
//
// An [Index] is a cache: a file of SQLite with two FTS5 tables that keep no text, only which folded
// words stand where. It is made from a bundle, brought up to date by [Index.Update], and can be
// deleted at any time. Snippets come from the conversation files.
//
// Searching has two steps. FTS5 says which conversations have the words, the best first. Then the
// messages of these conversations are read and compared by the same words (match.go), for a phrase
// only those that pass a filter of pairs of words (pairs.go), so that what is found is a message,
// with its place, role and date. [foldWord] makes words comparable: without case and accents,
// Arabic without vowel signs and article, scripts without spaces as pairs of characters.
package search

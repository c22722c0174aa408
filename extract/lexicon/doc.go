// Package lexicon looks up words and phrases in text: what the phrase engines of the gate, of the
// segments and of the rules have in common. [Words] numbers words, [Edges] are the tree of phrases
// over these numbers, and [FoldRune] takes the accents off letters. Each engine has its own idea of
// where a word ends and of what a phrase may hold.
package lexicon

// Package jsonscan sees JSON before anything decodes it.
//
// Parse reads one value that is in memory into a flat tree ([Doc]) in a single strict pass:
// grammar, nesting, UTF-8, duplicate keys, lone surrogates and integers beyond 2^53 are known
// afterwards, every value can be copied verbatim and nothing is rounded. [Framer] cuts a stream of
// any length into such values without holding more than one of them.
//
// A Doc refers to the bytes it was parsed from; they must not change while it is in use.
package jsonscan

// Package frozen keeps compiled tables in the program. Tables of words and patterns are written in
// YAML; to read and compile those of one language takes longer than a small import. make build
// compiles all of them once and writes the results into the folder tables of this package, which a
// program with the build tag "frozen" embeds (tools/freezetables). A program without the tag, as
// the tests are, compiles the YAML files when it needs them and behaves the same.
//
// [Encode] writes a value of plain data: booleans, numbers, strings, arrays, slices, maps, structs
// and pointers that lead to no value twice. Unexported fields are part of it. The bytes begin with
// a digest of the layout of the type, so that [Decode] refuses those of another version of the
// type. Strings and slices without pointers stay where they are in the bytes, which makes reading a
// matter of milliseconds.
package frozen

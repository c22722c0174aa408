// Package frozen keeps compiled tables in the program. Tables of words and patterns are written in
// YAML; to read and compile those of one language takes longer than a small import. make build
// compiles all of them once and writes the results into one file (tools/freezetables), which a
// program with the build tag "frozen" embeds. A program without the tag, as a bare "go test" makes,
// compiles the YAML files when it needs them and behaves the same.
//
// [Encode] writes a value of plain data: booleans, numbers, strings, arrays, slices, maps, structs
// and pointers that lead to no value twice. Unexported fields are part of it. The bytes begin with
// a digest of the layout of the type, so that [Decode] refuses those of another version of the
// type. Strings and slices without pointers stay where they are in the bytes. The bytes are not
// compressed: most of a table is never looked at, and what is stays a part of the program's file,
// of which the system keeps one copy for all processes. All that Decode reads comes first and the
// long slices follow, so that to open a table brings few pages into memory.
package frozen

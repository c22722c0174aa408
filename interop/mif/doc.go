// Package mif reads and checks Memory Interchange Format documents: 1.x as its schema has them, and
// the 2.0 that one program writes without a schema, as JSON, JSON Lines and a safe part of YAML.
//
// [Parse] gives every form as one JSON value with its number lexemes. It says what the checksum of
// a document proves, because no specification defines what it covers, and opens an encrypted
// document only with the parameters that the format does not name.
package mif

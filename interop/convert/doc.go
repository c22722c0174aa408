// Package convert maps Portable AI Memory to other memory formats and back.
//
// What a target has no place for rides along as a shadow: the exact text of the source beside the
// projected record. On the way back a record whose projection is unchanged becomes that text again.
// If fields were edited in between, they are laid over it, and the edit is reported. Without
// shadows (Options.Clean) the report says what is lost.
//
// Everything streams. What must be sorted lies in scratch files; held in memory are ids alone.
package convert

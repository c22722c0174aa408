// Package dispatch turns the work of jobs into messages. It knows the names of the streams, the
// form of a task as a message, and the one way to ask: the job record first, the messages second.
//
// The subject of a message names the unit, so a stream holds each unit once:
//
//	pam.ingest.<lane>.<owner>.<drop>.<gen>
//	pam.extract.<lane>.<owner>.<drop>.<gen>.<shard>   body: the import and the number of the pack
//	pam.assemble.<partition>.<owner>.<drop>.<gen>
//	pam.take.<lane>.<owner>.<id>                      see package inbox
//
// A message says which unit somebody may work on. What is true of that unit is in storage.
package dispatch

// Package memstores reads what programs for the memory of assistants export: lists of memories in
// JSON, and what lies around them. Each format is a row of a table: the marks by which its files
// are recognized, the lists in them, and a function that makes records of an element.
//
//	mem0          {"results": [{id, memory, hash, user_id, metadata, created_at, updated_at}]}, and the bare list
//	letta         an agent file (.af): {"agents": […], "blocks": [{label, value}], "tools": […]}, and its older form
//	zep           edges [{uuid, fact, valid_at, invalid_at, …}], nodes and episodes of a Graphiti graph
//	langmem       items of a LangGraph store: [{namespace, key, value, created_at, updated_at}]
//	openmemory    memories.json of a backup: {"memories": [{id, content, state, …}], …}, and those with sectors
//	memory-list   a list of statements, or of objects with a text each, of any other program
//
// Memories that have a state or a validity are adopted with it, as those of a PAM store are. Texts
// without any go through extract/harvest, as every provider's memories do. Nothing is dropped: the
// source of each element is in its record, and what is no memory of the person becomes an archived
// one that nobody is shown.
package memstores

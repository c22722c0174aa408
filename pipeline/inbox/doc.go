// Package inbox turns what people put into an inbox into drops, and asks for their imports. It
// reads the inbox of a bucket and a drop folder on this machine by the same rules.
//
// An entry is one object, or one folder with all objects below it. A drop is the content of an
// entry: its digest names it, so the same bytes are one drop under any name. Taking an entry means:
//
//  1. read the settings (metadata or the lines of the marker) and hash the objects where they lie,
//  2. write the record of the drop, inbox/<owner>/<drop>/drop.json, with the ETag of each object,
//  3. ask for the import (Asker),
//  4. write the small record of the entry, drops/<owner>/<id>.json.
//
// Each step can be repeated, so a taker may stop anywhere and several may take one entry. The small
// record comes last: while it exists, nobody looks at the entry again. An entry that cannot become
// a drop gets the small record of a refusal instead, which says why and what to do. That is a
// result and not an error.
//
// # How entries are found
//
// A listing of the whole inbox beside all small records finds every entry without one
// ([Inbox.ScanInbox]). Notifications of the bucket ([Inbox.ConsumeEvents]) make it quicker and may
// be lost, late or repeated. Both send tasks, and [Inbox.ConsumeTakes] handles them.
//
// A drop folder ([Folder]) is looked at again and again. What lies in it is copied into the inbox
// of the store ([TakeIn]), where it needs no small record.
package inbox

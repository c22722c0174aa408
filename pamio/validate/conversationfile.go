package validate

import (
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio"
)

// conversationFacts is what a conversation file says of itself, to be held against its index entry.
type conversationFacts struct {
	id, platform         string
	title                *string
	createdAt, updatedAt string
	tags                 []string
	messages             int64
}

// conversation checks what a conversation file says as a whole (PAM §25).
func (d *document) conversation(e *element) {
	d.report.Seen.Conversations++
	r := e.root
	temporal := r.Get("temporal")
	e.span(temporal)
	e.platform(r.Get("provider").Get("name"), "/provider/name")
	e.time(r.Get("import_metadata"), "/import_metadata", "imported_at")
	if e.wrong(importMetadata, r.Get("import_metadata").Len() == 0) {
		e.find(importMetadata, e.at("/import_metadata", r.Get("import_metadata")), "the conversation does not say from which file it was read and by what")
	}
	if d.graph != nil {
		d.graph.report()
	}
	f := &d.about
	f.id, _ = text(r.Get("id"))
	f.platform, _ = text(r.Get("provider").Get("name"))
	if title, ok := text(r.Get("title")); ok {
		f.title = &title
	}
	f.createdAt, _ = text(temporal.Get("created_at"))
	f.updatedAt, _ = text(temporal.Get("updated_at"))
	f.tags, _ = tags(r.Get("tags"))
	f.messages = d.seen["messages"]
}

// crossfile holds a conversation file against its index entry (PAM §14). What the entry leaves out
// it does not claim.
func (c *checker) crossfile(file, storeFile string, want entryFacts, got conversationFacts) {
	at := func(field string) place { return placeOf(storeFile, "conversations_index", want.Index, field) }
	if c.wrong(crossfileID, want.ID != got.id) {
		c.find(crossfileID, at("/id"), "the file %s is the conversation %s, not %s", quote(file), quote(got.id), quote(want.ID))
		return // another conversation: all else differs for that reason
	}
	if want.Title != nil && c.wrong(crossfileTitle, got.title == nil || *got.title != *want.Title) {
		c.find(crossfileTitle, at("/title"), "the title is another than in the file %s; one of the two was changed", quote(file))
	}
	if c.wrong(crossfilePlatform, want.Platform != got.platform) {
		c.find(crossfilePlatform, at("/platform"), "the platform is %s, but provider.name in the file %s is %s", token(want.Platform), quote(file),
			token(got.platform))
	}
	if want.Messages != nil && c.wrong(crossfileMessageCount, *want.Messages != got.messages) {
		says := strconv.FormatInt(*want.Messages, 10)
		if *want.Messages == tooMany {
			says = "larger than any number of messages"
		}
		c.find(crossfileMessageCount, at("/message_count"), "message_count is %s, the file %s has %d messages", says, quote(file), got.messages)
	}
	c.sameTime(crossfileCreatedAt, at("/temporal/created_at"), file, want.CreatedAt, got.createdAt)
	c.sameTime(crossfileUpdatedAt, at("/temporal/updated_at"), file, want.UpdatedAt, got.updatedAt)
	slices.Sort(want.Tags)
	slices.Sort(got.tags)
	if want.HasTags && c.wrong(crossfileTags, !slices.Equal(slices.Compact(want.Tags), slices.Compact(got.tags))) {
		c.find(crossfileTags, at("/tags"), "the tags are others than in the file %s", quote(file))
	}
}

// sameTime compares two times as instants, so that +00:00 equals Z.
func (c *checker) sameTime(k check, at place, file, want, got string) {
	if want == "" {
		return
	}
	differ := want != got
	if a, err := pamio.ParseTime(want); err == nil {
		if b, err := pamio.ParseTime(got); err == nil {
			differ = !a.Equal(b)
		}
	}
	if !c.wrong(k, differ) {
		return
	}
	if got == "" {
		c.find(k, at, "the index says %s, the file %s says nothing", token(want), quote(file))
		return
	}
	c.find(k, at, "the index says %s, the file %s says %s", token(want), quote(file), token(got))
}

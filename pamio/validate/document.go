package validate

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// document is one file while it is validated.
type document struct {
	*checker
	file   string
	expect kind // what it must be; unknown when anything will do
	kind   kind // what its schema field says

	w         *walker
	strangers strangers
	seen      map[string]int64 // elements by wrapper
	again     func() (io.ReadCloser, error)

	version   string // of the store whose companion this is, "" for none; afterwards its own
	joins     *joins
	integrity integrity
	graph     *graph
	about     conversationFacts
}

func (c *checker) document(file string) *document {
	return &document{checker: c, file: file, seen: map[string]int64{}}
}

// recognized tells that the file is a PAM document, or was one before it broke off.
func (d *document) recognized() bool { return d.kind != unknown || !d.w.whole && len(d.seen) > 0 }

// read walks through the document.
func (d *document) read(fsys fs.FS, file string, limit int64) error {
	d.w = &walker{tally: d.tally, ctx: d.ctx, file: d.file, limit: limit, examine: d.examine, collect: d.collect, each: d.message, rest: d.object}
	if d.joins != nil {
		d.w.based, d.w.companions = d.joins.based, d.joins.companions
	}
	defer d.integrity.close()
	d.again = func() (io.ReadCloser, error) { return openFile(fsys, file) }
	r, err := d.again()
	if d.wrong(fileUnreadable, err != nil) {
		d.find(fileUnreadable, place{d.file, "", -1}, "the file cannot be opened: %s", reason(err))
		return nil
	}
	named := newDigestReader(file, r)
	if err := d.w.read(named); err != nil {
		r.Close()
		return fmt.Errorf("validate %s: %w", d.file, err)
	}
	if d.wrong(conversationDamaged, !named.isWhole()) {
		d.find(conversationDamaged, place{d.file, "", -1}, "the SHA-256 of the file is not the one that its name begins with; it was changed or damaged")
	}
	if err := r.Close(); d.wrong(fileUnreadable, err != nil) {
		d.find(fileUnreadable, place{d.file, "", -1}, "the file cannot be closed: %s", reason(err))
	}
	// A document that broke off has not told its version; it is taken for 1.0.
	d.strangers.settle(d.tally, false)
	return nil
}

// hasArray tells that the schema of the document knows an array.
func (d *document) hasArray(wrapper string) bool {
	return d.expect == unknown || wrappers[wrapper] == d.expect
}

// examine checks one element of an array for itself. It runs beside others: all that it finds and
// notes goes into the batch.
func (d *document) examine(e *element, b *batch) error {
	if !d.hasArray(e.wrapper) {
		return nil
	}
	readable := e.root.Exists()
	if readable {
		if err := b.strangers.checkShape(e, elementParts[e.wrapper]); err != nil {
			return err
		}
	}
	seen, n := &e.report.Seen, &b.notes
	switch e.wrapper {
	case "memories":
		b.sums = append(b.sums, e.summand())
		seen.Memories++
		if !readable {
			n.blindMemories = true
			return nil
		}
		n.memory(e.memory(), target)
	case "relations":
		seen.Relations++
		n.relation(e.relation())
	case "conversations_index":
		seen.IndexEntries++
		if !readable {
			n.blindIndex = true
			return nil
		}
		return n.entry(e.entry(), target)
	case "embeddings":
		seen.Embeddings++
		if !readable {
			n.blindEmbeddings = true
			return nil
		}
		n.embedding(e.embedding())
	}
	return nil
}

// collect takes what was found and noted in a batch.
func (d *document) collect(b *batch) error {
	for _, p := range b.parts {
		if d.hasArray(p.wrapper) {
			d.seen[p.wrapper]++
		}
	}
	d.strangers.take(d.tally, &b.strangers)
	if d.joins != nil {
		if err := d.joins.take(&b.notes); err != nil {
			return err
		}
	}
	if len(b.sums) > 0 {
		d.integrity.take(b, d.w.batches.free)
		return nil
	}
	b.release(d.w.batches.free)
	return nil
}

// message checks one message of a conversation.
func (d *document) message(e *element) error {
	if !d.hasArray(e.wrapper) {
		return nil
	}
	d.seen[e.wrapper]++
	readable := e.root.Exists()
	if readable {
		if err := d.strangers.checkShape(e, elementParts[e.wrapper]); err != nil {
			return err
		}
	}
	d.report.Seen.Messages++
	if d.graph == nil {
		d.graph = newGraph(d.tally, d.file)
		// The graph is held in memory, so that a file that turns out to be a conversation has the
		// limit of one.
		d.w.meter.limit = min(d.w.meter.limit, d.o.MaxConversation)
	}
	if !readable {
		d.graph.blind = true
		return nil
	}
	e.message(d.graph)
	return d.namedFiles(e)
}

// kinds of documents by their schema field.
var kinds = map[string]kind{
	pamio.StoreSchema:        store,
	pamio.ConversationSchema: conversation,
	pamio.EmbeddingsSchema:   embeddings,
}

var kindNames = map[kind]string{store: pamio.StoreSchema, conversation: pamio.ConversationSchema, embeddings: pamio.EmbeddingsSchema}

// object checks the document around its arrays, which by now have passed.
func (d *document) object(e *element, arrays []string) error {
	times := map[string]int{}
	for _, key := range arrays {
		times[key]++
		if d.wrong(jsonDuplicateKey, times[key] == 2) {
			d.find(jsonDuplicateKey, e.at("/"+key, jsonscan.Node{}), "the key %s stands twice in the document; keep one", key)
		}
	}
	if !e.root.Exists() {
		return nil
	}
	schema, _ := text(e.root.Get("schema"))
	d.kind = kinds[schema]
	bad := d.kind == unknown || d.expect != unknown && d.kind != d.expect
	if d.wrong(documentUnknown, bad) {
		d.unknown(e, schema)
		return nil
	}
	newer := e.version()
	d.companion(e)
	if err := d.strangers.checkShape(e, documentParts[d.kind], arrays...); err != nil {
		return err
	}
	d.strangers.settle(d.tally, newer)
	switch d.kind {
	case store:
		return d.store(e)
	case conversation:
		d.conversation(e)
	case embeddings:
		d.report.Seen.EmbeddingSets++
	}
	return nil
}

// companion holds the version of a companion file against that of the store, which is passed in
// d.version.
func (d *document) companion(e *element) {
	n := e.root.Get("schema_version")
	own, ok := text(n)
	if !ok {
		return
	}
	if d.version != "" && d.wrong(schemaVersionMismatch, own != d.version) {
		d.find(schemaVersionMismatch, e.at("/schema_version", n), "schema_version is %s, that of the store is %s; the files of a bundle have one",
			token(own), token(d.version))
	}
	d.version = own
}

func (d *document) unknown(e *element, schema string) {
	at := e.at("/schema", e.root.Get("schema"))
	switch {
	case d.kind != unknown:
		d.find(documentUnknown, at, "schema is %q; the file should be a %q document", schema, kindNames[d.expect])
	case schema == "":
		at.pointer = ""
		d.find(documentUnknown, at, "the object has no schema field, so it is not a PAM document; a provider's export is read by the import command")
	default:
		d.find(documentUnknown, at, "%s is no schema of PAM; it is one of %q, %q, %q", token(schema), pamio.StoreSchema, pamio.ConversationSchema,
			pamio.EmbeddingsSchema)
	}
	d.kind = unknown
}

// store checks what a store says as a whole.
func (d *document) store(e *element) error {
	d.report.Seen.Stores++
	since := e.scalars()
	d.joins.incremental = isIncremental(e.root)
	if d.joins.incremental {
		d.joins.since = since
	}
	d.joins.baseID(e)
	if err := d.integrity.report(e, d.again); err != nil {
		return err
	}
	e.signature(d.integrity.computed)
	return nil
}

package chatgpt

import (
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

// Attachments that only repeat what parts say are left out of a conversation where they take more
// than one part in attachmentShare of the element's bytes and more than attachmentAllowance: a
// document must not be much larger than its source, and the parts name the files, too.
const (
	attachmentShare     = 10
	attachmentAllowance = 1024
)

// repeated counts the attachments of a conversation that only repeat what parts say.
type repeated struct {
	size    int // bytes, of all of them
	message int // index of the current message
	here    int // in the current message; they are its last
	before  []struct{ message, n int }
}

// attachFiles adds an attachment for each file that a part points to and no attachment names yet.
// They come behind those of metadata.attachments and are made again by Decode, so Restore passes
// over them. The ones whose file is in the archive come first and are never left out: nothing else
// leads to it.
func (d *decoder) attachFiles(m *pamio.Message) {
	slices.SortStableFunc(d.files, func(a, b pamio.Attachment) int { return missing(a) - missing(b) })
	for _, f := range d.files {
		if slices.ContainsFunc(m.Attachments, func(a pamio.Attachment) bool { return a.ProviderID == f.ProviderID }) {
			continue
		}
		m.Attachments = append(m.Attachments, f)
		if f.Ref != "" {
			continue
		}
		if !d.old {
			d.anomalies[importer.AnomalyAssetMissing]++
		}
		d.repeated.here++
		d.repeated.size += len(`{"type":"","size_bytes":,"provider_id":""},`) + len(f.Type) + len(f.ProviderID) + len(f.Name) + len(f.MimeType)
		if f.SizeBytes != nil {
			d.repeated.size += len(strconv.FormatInt(*f.SizeBytes, 10))
		}
	}
	d.files = d.files[:0]
}

// missing is 1 for an attachment whose file is not in the archive.
func missing(a pamio.Attachment) int {
	if a.Ref == "" {
		return 1
	}
	return 0
}

// next ends a message.
func (r *repeated) next() {
	if r.here > 0 {
		r.before = append(r.before, struct{ message, n int }{r.message, r.here})
		r.here = 0
	}
	r.message++
}

// bound leaves the attachments out that are too much against an element of size bytes.
func (r *repeated) bound(doc *pamio.Conversation, size int) {
	if r.size <= attachmentAllowance || r.size*attachmentShare <= size {
		return
	}
	for _, b := range r.before {
		m := &doc.Messages[b.message]
		m.Attachments = slices.Clip(m.Attachments[:len(m.Attachments)-b.n])
	}
}

package sillytavern

import (
	"path"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// attachments are the files of a message: "image" and "video" are a path, "file" is an object,
// "files" and "media" are lists of such. Paths are relative to SillyTavern's data folder; what is
// inline stays in raw_metadata.
func (d *decoder) attachments(extra jsonscan.Node) []pamio.Attachment {
	var out []pamio.Attachment
	if f := extra.Get("file"); f.Kind() == jsonscan.Object {
		out = append(out, d.attachment("file", f.Get("url").Str(), f.Get("name").Str(), f.Get("size")))
	}
	for f := range extra.Get("files").Items() {
		if f.Kind() == jsonscan.Object {
			out = append(out, d.attachment("file", f.Get("url").Str(), f.Get("name").Str(), f.Get("size")))
		}
	}
	for _, kind := range []string{"image", "video"} {
		if url := extra.Get(kind).Str(); url != "" {
			out = append(out, d.attachment(kind, url, "", jsonscan.Node{}))
		}
	}
	for f := range extra.Get("media").Items() {
		kind := f.Get("type").Str()
		if kind != "image" && kind != "video" && kind != "audio" {
			kind = "file"
		}
		if url := f.Get("url").Str(); url != "" {
			out = append(out, d.attachment(kind, url, "", jsonscan.Node{}))
		}
	}
	return out
}

func (d *decoder) attachment(kind, url, name string, size jsonscan.Node) pamio.Attachment {
	a := pamio.Attachment{Type: kind, Name: name}
	a.SizeBytes = importer.Count(size)
	if url == "" || strings.HasPrefix(url, "data:") || strings.Contains(url, "://") {
		return a
	}
	if a.Name == "" {
		a.Name = path.Base(url)
	}
	a.Ref = d.side.files.Ref(d.b, url)
	return a
}

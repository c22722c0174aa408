package gemini

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/htmlmd"
	"github.com/pamline/pamline/providers/importer"
)

// extras are what stands beside prompt and answer.
type extras struct {
	files     []file
	citations []pamio.Citation
	gem       string
	shown     []string // local images in the answer
}

// file is an attached file: the name that the person gave it, and that of its copy beside the log.
type file struct{ name, local string }

// maxExtras bounds the files and links of one row each.
const maxExtras = 1000

// gemNotice is behind the name of a Gem.
const gemNotice = " was used in this chat"

// subtitle takes a line below the title: an attached file, a source, the notice of a Gem, or
// something that is only kept.
func (x *extras) subtitle(name, link string) {
	switch {
	case link == "":
	case ofGemini(link) && strings.Contains(link, "/gem"):
		gem, _, found := strings.Cut(name, gemNotice)
		if found {
			x.gem = gem
		}
	case ofGemini(link):
	case webLink(link):
		known := len(x.citations) >= maxExtras || slices.ContainsFunc(x.citations, func(c pamio.Citation) bool { return c.URL == link })
		if !known && pamio.IsAbsoluteURI(link) {
			x.citations = append(x.citations, pamio.Citation{Title: name, URL: link})
		}
	case isLocal(link):
		x.file(strings.TrimLeft(foldSpaces(name), "- "), link)
	}
}

// file takes an attached file, which may be named in several places.
func (x *extras) file(name, local string) {
	if !isLocal(local) || len(x.files) >= maxExtras || slices.ContainsFunc(x.files, func(f file) bool { return f.local == local }) {
		return
	}
	if name == "" {
		name = path.Base(local)
	}
	x.files = append(x.files, file{name, local})
}

// answerImages takes the images of an answer that are files beside the log.
func (x *extras) answerImages(html string) {
	if !strings.Contains(html, "<img") && !strings.Contains(html, "<IMG") {
		return
	}
	for _, src := range htmlmd.Images(html) {
		if isLocal(src) && !slices.Contains(x.shown, src) && len(x.shown) < maxExtras {
			x.shown = append(x.shown, src)
		}
	}
}

// isLocal tells whether a link is the name of a file beside the log.
func isLocal(link string) bool {
	if link == "" || len(link) > maxLink || strings.HasPrefix(link, "/") || strings.HasPrefix(link, "#") {
		return false
	}
	scheme, _, found := strings.Cut(link, ":")
	return !found || strings.ContainsAny(scheme, " ./")
}

// attach makes attachments of files. find gives the member that a file is, or none.
func attach(files []file, find func(local string) (ref string, ok bool)) (out []pamio.Attachment, missing int) {
	for _, f := range files {
		a := pamio.Attachment{Type: importer.NamedType(f.local), Name: f.name, ProviderID: f.local}
		ref, ok := find(f.local)
		if !ok {
			missing++
		}
		a.Ref = ref
		out = append(out, a)
	}
	return out, missing
}

// hashed is the name of a copy beside the log: the original one, 16 hex digits, the ending.
var hashed = regexp.MustCompile(`^(.+)-[0-9a-f]{16}(\.[^.]*)?$`)

// unescaped undoes the escapes of a link, if it has any.
func unescaped(link string) string {
	if s, err := url.PathUnescape(link); err == nil {
		return s
	}
	return link
}

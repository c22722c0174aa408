package grok

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// attachmentLists are the lists of a response that name files, in the order of the document.
var attachmentLists = []struct{ key, kind string }{
	{"file_attachments", "file"},
	{"image_attachments", "image"},
	{"generated_image_urls", "image"},
}

// attachments gives the files of a response: those that its lists name (by id, as objects, or as an
// object of objects), and the pictures of its cards.
func (c *reader) attachments(response jsonscan.Node, cards []jsonscan.Node) []pamio.Attachment {
	var out []pamio.Attachment
	seen := map[string]bool{}
	add := func(a pamio.Attachment) {
		if a.ProviderID != "" {
			if seen[a.ProviderID] {
				return
			}
			seen[a.ProviderID] = true
		}
		if m, ok := c.files.find(a.ProviderID); ok {
			a.Ref = importer.MemberRef(m)
		} else {
			c.b.Anomalies[importer.AnomalyAssetMissing]++
		}
		out = append(out, a)
	}
	for _, list := range attachmentLists {
		n := response.Get(list.key)
		for v := range n.Items() {
			if a, ok := attachment(v, list.kind); ok {
				add(a)
			}
		}
		for key, v := range n.Fields() {
			if a, ok := attachment(v, list.kind); ok {
				if a.ProviderID == "" {
					a.ProviderID = key.Str()
				}
				add(a)
			}
		}
	}
	// A picture that was made has a card for each stage of its making; they are one.
	for _, card := range cards {
		if id := importer.FirstText(card.Get("image_chunk"), "imageUuid", "image_uuid"); id != "" {
			add(pamio.Attachment{Type: "image", ProviderID: id})
		}
	}
	return out
}

// attachment reads one entry of a list of files.
func attachment(v jsonscan.Node, kind string) (pamio.Attachment, bool) {
	switch v.Kind() {
	case jsonscan.String:
		return pamio.Attachment{Type: kind, ProviderID: v.Str()}, !v.Is("")
	case jsonscan.Object:
		a := pamio.Attachment{
			Type:       kind,
			ProviderID: importer.FirstText(v, "asset_id", "file_id", "id", "_id", "fileMetadataId"),
			Name:       importer.FirstText(v, "file_name", "fileName", "name"),
			MimeType:   importer.FirstText(v, "mime_type", "file_mime_type", "fileMimeType", "content_type"),
		}
		if strings.HasPrefix(a.MimeType, "image/") {
			a.Type = "image"
		}
		return a, a.ProviderID != "" || a.Name != ""
	}
	return pamio.Attachment{}, false
}

// readCards gives the cards of a response. Each is a text with JSON in it, in some exports an
// object. One that cannot be read is counted and stays as it is.
func readCards(b *lossless.Builder, response jsonscan.Node) []jsonscan.Node {
	var out []jsonscan.Node
	for v := range response.Get("card_attachments_json").Items() {
		if v.Kind() == jsonscan.Object {
			out = append(out, v)
			continue
		}
		doc, err := jsonscan.Parse([]byte(v.Str()), cardDepth)
		if err != nil || doc.Root().Kind() != jsonscan.Object || doc.Root().Odd() {
			b.Anomalies["unreadable_card"]++
			continue
		}
		out = append(out, doc.Root())
	}
	return out
}

const cardDepth = 64

// citations gives the pages that an answer rests on: the cited results of the search, then those of
// citation cards, each page once. What has no absolute web address stays where it is.
func citations(response jsonscan.Node, cards []jsonscan.Node) []pamio.Citation {
	var out []pamio.Citation
	seen := map[string]bool{}
	add := func(url, title, snippet string) {
		if seen[url] || !isPage(url) {
			return
		}
		seen[url] = true
		out = append(out, pamio.Citation{URL: url, Title: title, Snippet: snippet})
	}
	for v := range response.Get("cited_web_search_results").Items() {
		add(v.Get("url").Str(), v.Get("title").Str(), v.Get("preview").Str())
	}
	for _, card := range cards {
		if card.Get("cardType").Is("citation_card") || card.Get("type").Is("render_inline_citation") {
			add(card.Get("url").Str(), "", "")
		}
	}
	return out
}

func isPage(url string) bool {
	return (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) && pamio.IsAbsoluteURI(url)
}

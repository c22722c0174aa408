package copilot

import (
	"net/url"
	"strings"

	"github.com/pamline/pamline/pamio"
)

const citationMarker = "citationMarker"

// citations finds the sources that an answer names: links of Markdown whose address carries a
// marker, which is left out of the citation. Each address is named once.
func citations(text string) []pamio.Citation {
	var out []pamio.Citation
	seen := map[string]bool{}
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "](http")
		if !found {
			return out
		}
		rest = after
		end := strings.IndexAny(after, ") \n\t")
		if end < 0 || !strings.Contains(after[:end], citationMarker+"=") {
			continue
		}
		address := withoutMarker("http" + after[:end])
		if address == "" || seen[address] {
			continue
		}
		seen[address] = true
		out = append(out, pamio.Citation{URL: address})
	}
}

// withoutMarker takes the marker out of an address and leaves the rest as it is; "" for what is no
// address.
func withoutMarker(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	before, query, _ := strings.Cut(address, "?")
	query, fragment, hasFragment := strings.Cut(query, "#")
	var kept []string
	for p := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(p, "="); name != citationMarker {
			kept = append(kept, p)
		}
	}
	if len(kept) > 0 {
		before += "?" + strings.Join(kept, "&")
	}
	if hasFragment {
		before += "#" + fragment
	}
	if !pamio.IsAbsoluteURI(before) {
		return ""
	}
	return before
}

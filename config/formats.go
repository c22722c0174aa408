package config

import (
	"slices"
	"strings"
)

// PublishFormats are the formats that publish.formats can name.
var PublishFormats = []string{"mem", "mif"}

// FormatNames are the formats of publish.formats, in their order, each once.
func (p *Publish) FormatNames() (names []string) {
	for name := range strings.SplitSeq(p.Formats, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (l *linter) formats(c *Config) {
	for _, name := range c.Publish.FormatNames() {
		if !slices.Contains(PublishFormats, name) {
			l.error("publish.formats", "there is no format %q: it names %s", name, strings.Join(PublishFormats, " and "))
		}
	}
}

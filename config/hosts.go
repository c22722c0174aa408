package config

import (
	"net"
	"strings"
)

// PageHosts are the names of http.hosts.
func (h *HTTP) PageHosts() (names []string) {
	for name := range strings.SplitSeq(h.Hosts, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// nameCharacters are what the name or address of a host is made of.
const nameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._"

// isHostName tells whether a text is the name or address of a host, without a scheme or port.
func isHostName(name string) bool {
	return net.ParseIP(name) != nil || name != "" && strings.Trim(name, nameCharacters) == ""
}

func (l *linter) hosts(c *Config) {
	for _, name := range c.HTTP.PageHosts() {
		if !isHostName(name) {
			l.error("http.hosts", "%q is not a name such as memories.example.net: leave out scheme, port and path", name)
		}
	}
}

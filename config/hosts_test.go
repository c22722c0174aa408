package config

import (
	"slices"
	"strings"
	"testing"
)

func TestHostsOfThePageAreNames(t *testing.T) {
	c := Default()
	c.HTTP.Hosts = " memories.example.net, pam.local,,192.0.2.7 , 2001:db8::1"
	if got := c.HTTP.PageHosts(); !slices.Equal(got, []string{"memories.example.net", "pam.local", "192.0.2.7", "2001:db8::1"}) {
		t.Errorf("%q", got)
	}
	for hosts, isWrong := range map[string]bool{c.HTTP.Hosts: false, "": false, "https://a.example": true, "a.example:80": true, "a.example/page": true, "*": true, "a b": true} {
		c.HTTP.Hosts = hosts
		found := slices.ContainsFunc(c.Lint(), func(p Problem) bool { return p.Key == "http.hosts" })
		if found != isWrong {
			t.Errorf("%q: %v", strings.TrimSpace(hosts), found)
		}
	}
}

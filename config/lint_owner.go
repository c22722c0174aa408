package config

import (
	"net/url"
	"regexp"
	"time"
)

// didPattern is that of PAM §17.
var didPattern = regexp.MustCompile(`^did:[a-z0-9]+:.+$`)

func (l *linter) owner(o Owner) {
	if o.DID != "" && !didPattern.MatchString(o.DID) {
		l.error("owner.did", "is not a DID: write it like did:web:example.org or did:key:z6Mk…")
	}
	if _, err := time.Parse(time.RFC3339, o.CreatedAt); o.CreatedAt != "" && err != nil {
		l.error("owner.created_at", "is not a time: write it like 2024-05-01T00:00:00Z")
	}
	if u, err := url.Parse(o.TypeRegistry); o.TypeRegistry != "" && (err != nil || !u.IsAbs()) {
		l.error("owner.type_registry", "is not a URI: write it like https://example.org/types")
	}
}

package config

import (
	"net/url"
	"slices"
	"strings"
)

// encrypted are the schemes of connections that use TLS.
var encrypted = []string{"https", "tls", "wss"}

// tls refuses connections without TLS to hosts that are not this machine and that tls.plain does
// not name.
func (l *linter) tls(c *Config) {
	addresses := map[string]string{"store.s3.endpoint": "", "llm.url": c.LLM.URL, "embeddings.url": c.Embeddings.URL, "trace.endpoint": c.Trace.Endpoint}
	if c.Store.Kind == "s3" {
		addresses["store.s3.endpoint"] = c.Store.S3.Endpoint
	}
	for _, key := range []string{"store.s3.endpoint", "llm.url", "embeddings.url", "trace.endpoint"} {
		l.plain(c, key, addresses[key])
	}
	for _, server := range strings.Split(c.NATS.URL, ",") {
		server = strings.TrimSpace(server)
		if server != "" && !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		if c.NATS.CAFile == "" && c.NATS.CertFile == "" { // with either, the client insists on TLS
			l.plain(c, "nats.url", server)
		}
	}
}

func (l *linter) plain(c *Config, key, address string) {
	u, err := url.Parse(address)
	if address == "" || err != nil || u.Hostname() == "" || slices.Contains(encrypted, strings.ToLower(u.Scheme)) || loopback(u.Hostname()) {
		return
	}
	for _, host := range strings.Split(c.TLS.Plain, ",") {
		if strings.EqualFold(strings.Trim(strings.TrimSpace(host), "[]"), u.Hostname()) {
			return
		}
	}
	l.error(key, "has no TLS: what people wrote would cross the network for everybody to read. Use %s, or permit this host by tls.plain=%s if nobody else can read that network", secureScheme(u.Scheme), u.Hostname())
}

func secureScheme(scheme string) string {
	switch scheme {
	case "nats":
		return "tls://"
	case "ws":
		return "wss://"
	}
	return "https://"
}

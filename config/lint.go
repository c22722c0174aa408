package config

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Severity of a problem.
type Severity string

// Error: the configuration cannot be used. Warning: it can, but probably is not what was meant.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is something wrong with one setting.
type Problem struct {
	Severity Severity `json:"severity"`
	Key      string   `json:"key"`
	// Source is where the value stands: a file, the environment, the command line; "" when it is
	// not known or several.
	Source  string `json:"source,omitempty"`
	Message string `json:"message"`
}

func (p Problem) String() string {
	if p.Source != "" {
		return fmt.Sprintf("%s (in %s): %s", p.Key, p.Source, p.Message)
	}
	return p.Key + ": " + p.Message
}

// Problems are all the errors of a configuration.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	if len(lines) == 1 {
		return "read configuration: " + lines[0]
	}
	return "read configuration:\n  " + strings.Join(lines, "\n  ")
}

var ownerPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// ValidOwner tells whether an owner id has the one accepted form. Every door checks it.
func ValidOwner(id string) bool { return ownerPattern.MatchString(id) }

// Lint checks the settings without touching the network: values out of their range, settings that
// contradict one another, files that are not there.
func (c *Config) Lint() []Problem {
	var l linter
	for _, f := range Fields() {
		l.field(c, f)
	}
	if c.Owner.ID != "" && !ValidOwner(c.Owner.ID) {
		l.error("owner.id", "an owner id is made of a to z, 0 to 9, _ and -, starts with a letter or digit and has at most 63 of them")
	}
	l.owner(c.Owner)
	if c.Workers < 0 {
		l.error("workers", "is less than 0; 0 means one for each processor")
	}
	l.store(c)
	l.nats(c)
	l.limits(c)
	if c.Retry.MaxDelay < c.Retry.FirstDelay {
		l.error("retry.max_delay", "is shorter than retry.first_delay (%s)", durationText(c.Retry.FirstDelay))
	}
	l.http(c)
	l.models(c)
	l.tls(c)
	l.encryption(c.Encryption)
	return l.found
}

type linter struct{ found []Problem }

func (l *linter) error(key, format string, args ...any) {
	l.found = append(l.found, Problem{Severity: Error, Key: key, Message: fmt.Sprintf(format, args...)})
}

func (l *linter) warn(key, format string, args ...any) {
	l.found = append(l.found, Problem{Severity: Warning, Key: key, Message: fmt.Sprintf(format, args...)})
}

// field holds a value to what its declaration says.
func (l *linter) field(c *Config, f Field) {
	v := f.in(c)
	if len(f.OneOf) > 0 && v.String() != f.Default && !slices.Contains(f.OneOf, v.String()) {
		l.error(f.Key, "%q is not one of %s", v.String(), strings.Join(f.OneOf, ", "))
	}
	if f.Min != "" && f.number(c) < f.least() {
		l.error(f.Key, "%s is less than the smallest value, %s", f.text(c), f.Min)
	}
	if f.Type == "file" && v.String() != "" {
		if info, err := os.Stat(v.String()); err != nil {
			l.error(f.Key, "%v", err)
		} else if !info.Mode().IsRegular() {
			l.error(f.Key, "%s is not a file", v.String())
		}
	}
}

// least is the smallest accepted value as a number.
func (f Field) least() float64 {
	c := new(Config)
	if err := f.set(c, f.Min); err != nil {
		panic(fmt.Sprintf("config: smallest value of %s: %v", f.Key, err))
	}
	return f.number(c)
}

// number is the value of a field that is one, in the unit of its type.
func (f Field) number(c *Config) float64 {
	v := f.in(c)
	if v.CanFloat() {
		return v.Float()
	}
	return float64(v.Int())
}

func (l *linter) store(c *Config) {
	s3 := c.Store.S3
	if c.Store.Kind != "s3" {
		if s3 != Default().Store.S3 {
			l.warn("store.s3", "is given but not used, for store.kind is %s", c.Store.Kind)
		}
		return
	}
	if c.Store.Dir != (Dir{}) {
		l.warn("store.dir", "is given but not used, for store.kind is s3")
	}
	if s3.Bucket == "" {
		l.error("store.s3.bucket", "is needed when store.kind is s3")
	}
	if strings.Contains(s3.Bucket, "/") {
		l.error("store.s3.bucket", "is a name without slashes; a folder in it goes into store.s3.prefix")
	}
	if strings.HasPrefix(s3.Prefix, "/") {
		l.error("store.s3.prefix", "must not start with a slash")
	}
	if s3.Endpoint != "" {
		u, err := url.Parse(s3.Endpoint)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			l.error("store.s3.endpoint", "is not an address such as https://s3.example.net")
		case u.User != nil:
			l.error("store.s3.endpoint", "must not hold a user or password: use access_key_id and secret_access_key_file")
		}
	}
	if (s3.AccessKeyID == "") != !s3.SecretAccessKey.IsSet() {
		l.error("store.s3.access_key_id", "and secret_access_key belong together: give both or neither")
	}
	if s3.SSEKMSKeyID != "" && s3.SSE != "aws:kms" {
		l.error("store.s3.sse_kms_key_id", "needs store.s3.sse to be aws:kms")
	}
}

func (l *linter) nats(c *Config) {
	n := c.NATS
	if n.URL == "" {
		if n != Default().NATS {
			l.warn("nats", "has credentials or certificates that are not used, for nats.url is empty: the server is inside this process")
		}
		return
	}
	for _, part := range strings.Split(n.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(part))
		if err != nil || u.Host == "" {
			l.error("nats.url", "is not an address such as nats://nats.example.net:4222")
			continue
		}
		if _, set := u.User.Password(); set || u.User != nil {
			l.error("nats.url", "must not hold a user or password: use creds_file or nkey_file")
		}
	}
	if (n.CertFile == "") != (n.KeyFile == "") {
		l.error("nats.cert_file", "and key_file belong together: give both or neither")
	}
	if n.CredsFile != "" && n.NKeyFile != "" {
		l.error("nats.creds_file", "and nkey_file exclude one another")
	}
	if c.Store.Kind == "dir" {
		l.warn("store.kind", "is dir while nats.url names a server: workers on other machines will not see this folder")
	}
}

func (l *linter) limits(c *Config) {
	m := c.Limits
	if m.MaxTotal < m.MaxMemberSize {
		l.warn("limits.max_total", "is less than limits.max_member_size (%s), which then never applies", m.MaxMemberSize)
	}
	if m.MaxConversation > m.MaxMemberSize {
		l.warn("limits.max_conversation", "is more than limits.max_member_size (%s), which then applies first", m.MaxMemberSize)
	}
	if c.Retry.MaxDelay > time.Hour {
		l.warn("retry.max_delay", "is more than an hour: a unit may look stuck for that long")
	}
}

func (l *linter) http(c *Config) {
	l.hosts(c)
	l.formats(c)
	host, _, err := net.SplitHostPort(c.HTTP.Addr)
	if err != nil {
		l.error("http.addr", "is not an address with a port, such as 127.0.0.1:8750")
		return
	}
	token := c.HTTP.Token.Reveal()
	if token != "" && (len(token) < shortestToken || strings.Trim(token, tokenDigits) != "") {
		l.error("http.token", "is made of %d or more letters, digits and -._~+/=: `openssl rand -hex 32` makes one", shortestToken)
	}
	if loopback(host) {
		return
	}
	if c.HTTP.API && token == "" {
		l.error("http.api", "shows everybody's imports to whoever reaches http.addr: name the file of a token in http.token_file, listen on loopback, or set it to false")
	}
	l.warn("http.addr", "can be reached from other machines, and tells health, readiness and metrics to whoever asks")
}

// What a bearer token may be: nobody guesses one of that length, and a header carries no other
// characters (RFC 6750, 2.1).
const (
	shortestToken = 16
	tokenDigits   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="
)

// models checks the services that extractors ask.
func (l *linter) models(c *Config) {
	for _, m := range []struct {
		key, url, model string
		hasKey          bool
	}{
		{"llm", c.LLM.URL, c.LLM.Model, c.LLM.Key.IsSet()},
		{"embeddings", c.Embeddings.URL, c.Embeddings.Model, c.Embeddings.Key.IsSet()},
	} {
		if m.model == "" && (m.url != "" || m.hasKey) {
			l.warn(m.key, "has an address or a key that is not used, for %s.model is empty", m.key)
		}
		if m.url == "" {
			continue
		}
		u, err := url.Parse(m.url)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			l.error(m.key+".url", "is not an address such as https://api.example.net/v1")
		case u.User != nil:
			l.error(m.key+".url", "must not hold a user or password: use key_file")
		}
	}
	if c.LLM.MaxUSD > 0 && c.LLM.PriceInput == 0 && c.LLM.PriceOutput == 0 {
		l.error("llm.max_usd", "needs llm.price_input and llm.price_output, or nothing would ever cost anything")
	}
	var extra map[string]any
	if c.LLM.ExtraBody != "" && (json.Unmarshal([]byte(c.LLM.ExtraBody), &extra) != nil || extra == nil) {
		l.error("llm.extra_body", "is not a JSON object")
	}
	if c.LLM.Effort != "" && c.LLM.API == "anthropic" {
		l.error("llm.reasoning_effort", "is not of the API anthropic: use llm.extra_body")
	}
	if c.LLM.Batch && c.LLM.API == "ollama" {
		l.error("llm.batch", "is not of the API ollama, which has no batches")
	}
	if c.LLM.Model == "" && slices.ContainsFunc(strings.Split(c.Extract.Extractors, ","), func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "llm") }) {
		l.error("extract.extractors", "names llm, which needs llm.model")
	}
}

func (l *linter) encryption(e Encryption) {
	if e.KeyFile != "" && e.KeyCommand != "" {
		l.error("encryption.key_file", "and key_command exclude one another")
	}
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

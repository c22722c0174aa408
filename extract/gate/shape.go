package gate

import (
	"encoding/base64"
	"strings"
)

// shape is a value that is known by how it begins. What is before it must not be of its characters.
type shape struct {
	prefix   string
	kind     string
	chars    *set
	min, max int  // characters behind the prefix; max 0 is any number
	mixed    int  // so many letters and digits in a row are needed, both among them: what people write with hyphens has none
	whole    bool // see kind
}

var (
	alnum   = class("a-zA-Z0-9")
	key     = class("a-zA-Z0-9_-")
	upper   = class("A-Z0-9")
	hex     = class("a-fA-F0-9")
	base58  = class("1-9A-HJ-NP-Za-km-z")
	base64s = class("a-zA-Z0-9+/=_-")
	bearer  = class("a-zA-Z0-9._~+/=-")
)

// shapes are values of services, keys and wallets, as their makers describe or show them.
var shapes = []shape{
	{prefix: "AKIA", kind: "aws-key", chars: upper, min: 16, max: 16},
	{prefix: "ASIA", kind: "aws-key", chars: upper, min: 16, max: 16},
	{prefix: "ABIA", kind: "aws-key", chars: upper, min: 16, max: 16},
	{prefix: "ACCA", kind: "aws-key", chars: upper, min: 16, max: 16},
	{prefix: "ghp_", kind: "github-token", chars: alnum, min: 30},
	{prefix: "gho_", kind: "github-token", chars: alnum, min: 30},
	{prefix: "ghu_", kind: "github-token", chars: alnum, min: 30},
	{prefix: "ghs_", kind: "github-token", chars: alnum, min: 30},
	{prefix: "ghr_", kind: "github-token", chars: alnum, min: 30},
	{prefix: "github_pat_", kind: "github-token", chars: key, min: 30},
	{prefix: "glpat-", kind: "gitlab-token", chars: key, min: 20},
	{prefix: "glrt-", kind: "gitlab-token", chars: key, min: 20, mixed: 8},
	{prefix: "gldt-", kind: "gitlab-token", chars: key, min: 20, mixed: 8},
	{prefix: "xoxa-", kind: "slack-token", chars: key, min: 10},
	{prefix: "xoxb-", kind: "slack-token", chars: key, min: 10},
	{prefix: "xoxe-", kind: "slack-token", chars: key, min: 10},
	{prefix: "xoxo-", kind: "slack-token", chars: key, min: 10},
	{prefix: "xoxp-", kind: "slack-token", chars: key, min: 10},
	{prefix: "xoxr-", kind: "slack-token", chars: key, min: 10},
	{prefix: "xoxs-", kind: "slack-token", chars: key, min: 10},
	{prefix: "xapp-", kind: "slack-token", chars: key, min: 20, mixed: 8},
	{prefix: "hooks.slack.com/services/", kind: "slack-webhook", chars: class("a-zA-Z0-9/"), min: 20},
	{prefix: "discord.com/api/webhooks/", kind: "discord-webhook", chars: class("a-zA-Z0-9/_-"), min: 30},
	{prefix: "discordapp.com/api/webhooks/", kind: "discord-webhook", chars: class("a-zA-Z0-9/_-"), min: 30},
	{prefix: "sk-", kind: "api-key", chars: key, min: 12, mixed: 12},
	{prefix: "sk_", kind: "api-key", chars: key, min: 12, mixed: 12},
	{prefix: "rk_", kind: "api-key", chars: key, min: 12, mixed: 12},
	{prefix: "whsec_", kind: "webhook-secret", chars: class("a-zA-Z0-9+/="), min: 16},
	{prefix: "AIza", kind: "google-key", chars: key, min: 35, max: 36},
	{prefix: "ya29.", kind: "google-token", chars: class("a-zA-Z0-9._-"), min: 20},
	{prefix: "GOCSPX-", kind: "google-secret", chars: key, min: 20},
	{prefix: "hf_", kind: "huggingface-token", chars: alnum, min: 30},
	{prefix: "npm_", kind: "npm-token", chars: alnum, min: 30},
	{prefix: "pypi-", kind: "pypi-token", chars: key, min: 50, mixed: 16},
	{prefix: "dop_v1_", kind: "digitalocean-token", chars: hex, min: 40},
	{prefix: "doo_v1_", kind: "digitalocean-token", chars: hex, min: 40},
	{prefix: "dor_v1_", kind: "digitalocean-token", chars: hex, min: 40},
	{prefix: "SG.", kind: "sendgrid-key", chars: class("a-zA-Z0-9._-"), min: 40},
	{prefix: "key-", kind: "mailgun-key", chars: hex, min: 32, max: 32},
	{prefix: "shpat_", kind: "shopify-token", chars: alnum, min: 30},
	{prefix: "shpss_", kind: "shopify-token", chars: alnum, min: 30},
	{prefix: "shpca_", kind: "shopify-token", chars: alnum, min: 30},
	{prefix: "shppa_", kind: "shopify-token", chars: alnum, min: 30},
	{prefix: "gsk_", kind: "api-key", chars: alnum, min: 30},
	{prefix: "xai-", kind: "api-key", chars: alnum, min: 40},
	{prefix: "pplx-", kind: "api-key", chars: alnum, min: 30},
	{prefix: "nvapi-", kind: "api-key", chars: key, min: 30},
	{prefix: "tvly-", kind: "api-key", chars: key, min: 20, mixed: 12},
	{prefix: "r8_", kind: "api-key", chars: alnum, min: 30},
	{prefix: "fw_", kind: "api-key", chars: alnum, min: 20, mixed: 20},
	{prefix: "lsv2_pt_", kind: "api-key", chars: key, min: 30},
	{prefix: "PMAK-", kind: "postman-key", chars: key, min: 30},
	{prefix: "dapi", kind: "databricks-token", chars: hex, min: 32, max: 32},
	{prefix: "lin_api_", kind: "linear-key", chars: alnum, min: 30},
	{prefix: "ntn_", kind: "notion-token", chars: alnum, min: 30},
	{prefix: "secret_", kind: "notion-token", chars: alnum, min: 40, max: 46},
	{prefix: "figd_", kind: "figma-token", chars: key, min: 30},
	{prefix: "dckr_pat_", kind: "docker-token", chars: key, min: 20},
	{prefix: "hvs.", kind: "vault-token", chars: key, min: 20, mixed: 12},
	{prefix: "ATATT3", kind: "atlassian-token", chars: base64s, min: 40},
	{prefix: "sntrys_", kind: "sentry-token", chars: base64s, min: 40},
	{prefix: "sbp_", kind: "supabase-token", chars: hex, min: 32},
	{prefix: "sq0atp-", kind: "square-token", chars: key, min: 20},
	{prefix: "sq0csp-", kind: "square-token", chars: key, min: 30},
	{prefix: "AGE-SECRET-KEY-1", kind: "age-key", chars: upper, min: 50},
	{prefix: "xprv", kind: "wallet-key", chars: base58, min: 100, max: 112},
	{prefix: "b3BlbnNzaC1rZXktdjE", kind: "private-key", chars: base64s, min: 20, whole: true},
	{prefix: "PuTTY-User-Key-File-", kind: "private-key", chars: alnum, min: 1, whole: true},
}

// shapeIndex has the shapes by their first byte.
var shapeIndex, shapeKinds = func() (index [256][]int, kinds []kind) {
	for i, s := range shapes {
		index[s.prefix[0]] = append(index[s.prefix[0]], i)
		kinds = append(kinds, kind{name: s.kind, reason: Secret, whole: s.whole})
	}
	return index, kinds
}()

var (
	pemKey   = &kind{name: "private-key", reason: Secret, whole: true}
	jwt      = &kind{name: "jwt", reason: Secret}
	botToken = &kind{name: "bot-token", reason: Secret}
	bitcoin  = &kind{name: "wallet-key", reason: Secret}
)

// tokens finds what begins as a shape does, and what is known by its whole form.
func tokens(text string) []value {
	var found []value
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '-' && strings.HasPrefix(text[i:], "-----BEGIN ") {
			line := text[i : i+min(len(text)-i, 64)]
			if strings.Contains(line, "PRIVATE KEY") {
				found = append(found, value{i, len(text), pemKey})
				return found
			}
		}
		if i > 0 && alnum.has(text[i-1]) && alnum.has(c) {
			continue
		}
		if v, ok := shaped(text, i); ok {
			found = append(found, v)
			i = v.end - 1
			continue
		}
		if !alnum.has(c) || i > 0 && key.has(text[i-1]) {
			continue
		}
		// A run of key characters, looked at once as a whole.
		end := run(text, i, key)
		if v, ok := formed(text, i, end); ok {
			found = append(found, v)
			i = v.end - 1
		}
	}
	return found
}

func shaped(text string, i int) (value, bool) {
	for _, n := range shapeIndex[text[i]] {
		s := &shapes[n]
		if !strings.HasPrefix(text[i:], s.prefix) || i > 0 && (text[i-1] == '-' || text[i-1] == '_') && s.chars.has(text[i-1]) {
			continue
		}
		from := i + len(s.prefix)
		to := runTo(text, from, s.chars, s.max)
		if to-from < s.min || s.max > 0 && to < len(text) && s.chars.has(text[to]) || s.mixed > 0 && !mixed(text[from:to], s.mixed) {
			continue
		}
		return value{i, to, &shapeKinds[n]}, true
	}
	return value{}, false
}

// longestKey bounds how far a key is looked at beyond what it needs.
const longestKey = 4096

// run is where the characters of a set end, from i on.
func run(text string, i int, chars *set) int { return runTo(text, i, chars, longestKey) }

func runTo(text string, i int, chars *set, most int) int {
	if most == 0 {
		most = longestKey
	}
	end := i
	for end < len(text) && end-i < most && chars.has(text[end]) {
		end++
	}
	return end
}

// mixed tells whether so many letters and digits stand in a row, both among them.
func mixed(s string, row int) bool {
	n, letters, digits := 0, false, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] >= '0' && s[i] <= '9':
			digits = true
		case alnum.has(s[i]):
			letters = true
		default:
			n, letters, digits = 0, false, false
			continue
		}
		if n++; n >= row && letters && digits {
			return true
		}
	}
	return false
}

// formed finds tokens that have no telling beginning: JWTs, the tokens of bots, Bitcoin's private
// keys.
func formed(text string, start, end int) (value, bool) {
	first := text[start:end]
	switch {
	case strings.HasPrefix(first, "eyJ") && len(first) >= 12 && at(text, end) == '.':
		second := run(text, end+1, key)
		if second-end > 8 && at(text, second) == '.' {
			return value{start, run(text, second+1, key), jwt}, true
		}
	case len(first) >= 8 && len(first) <= 10 && at(text, end) == ':' && all(first, digits): // Telegram
		if to := run(text, end+1, key); to-end > 34 && to-end < 38 && mixed(text[end+1:to], 4) {
			return value{start, to, botToken}, true
		}
	case len(first) >= 23 && len(first) <= 28 && at(text, end) == '.' && strings.ContainsRune("MNO", rune(first[0])): // Discord
		second := run(text, end+1, key)
		if second-end == 7 && at(text, second) == '.' {
			if third := run(text, second+1, key); third-second > 27 {
				return value{start, third, botToken}, true
			}
		}
	case (len(first) == 51 && first[0] == '5' || len(first) == 52 && (first[0] == 'K' || first[0] == 'L')) && all(first, base58) && mixed(first, 10):
		return value{start, end, bitcoin}, true
	}
	return value{}, false
}

func at(text string, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}

func all(s string, chars *set) bool {
	for i := range len(s) {
		if !chars.has(s[i]) {
			return false
		}
	}
	return s != ""
}

// decodes tells whether a text is the base64 of a user and a password.
func decodes(s string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil || !strings.Contains(string(raw), ":") {
		return false
	}
	for _, b := range raw {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

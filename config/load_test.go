package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, s Sources) *Config {
	t.Helper()
	c, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaultsAreAValidConfiguration(t *testing.T) {
	c := load(t, Sources{})
	if c.Limits.MaxConversation != 128<<20 || c.Limits.ShardBytes != 8e6 || c.Limits.ShardItems != 500 || c.Retry.Attempts != 5 || c.Drop.Settle != 3*time.Second {
		t.Errorf("unexpected defaults: %+v", c)
	}
	if problems := c.Lint(); len(problems) > 0 {
		t.Errorf("the defaults have problems: %v", problems)
	}
}

func TestASettingComesFromEverySource(t *testing.T) {
	file := write(t, "c.yaml", "limits:\n  max_conversation: 8MB\n")
	for name, s := range map[string]Sources{
		"file":         {File: file},
		"environment":  {Environ: []string{"PAMLINE_LIMITS__MAX_CONVERSATION=8MB"}},
		"command line": {Set: map[string]string{"limits.max_conversation": "8MB"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := load(t, s).Limits.MaxConversation; got != 8e6 {
				t.Errorf("got %d", got)
			}
		})
	}
}

func TestLaterSourcesWin(t *testing.T) {
	s := Sources{
		File:    write(t, "c.yaml", "workers: 1\nlimits:\n  shard_items: 1\n  max_depth: 100\nlog:\n  level: warn\n"),
		Environ: []string{"PAMLINE_WORKERS=2", "PAMLINE_LIMITS__SHARD_ITEMS=2", "HOME=/nowhere", "PAMLINE_CONFIG=elsewhere.yaml"},
		Set:     map[string]string{"workers": "3"},
	}
	c := load(t, s)
	if c.Workers != 3 || c.Limits.ShardItems != 2 || c.Limits.MaxDepth != 100 || c.Log.Level != "warn" {
		t.Errorf("workers %d, shard_items %d, max_depth %d, level %s", c.Workers, c.Limits.ShardItems, c.Limits.MaxDepth, c.Log.Level)
	}
}

func TestYAMLValuesOfEveryType(t *testing.T) {
	c := load(t, Sources{File: write(t, "c.yaml", `
store:
  s3:
    path_style: true
limits:
  max_conversation: 9000000
  max_total: 1.5TB
  max_depth: 600
retry:
  first_delay: 1s
  max_delay: 1m30s
drop:
llm:
  model: m
  price_input: 0.15
  price_output: 2
log:
  level:
`)})
	if !c.Store.S3.PathStyle || c.Limits.MaxConversation != 9000000 || c.Limits.MaxTotal != 1.5e12 || c.Limits.MaxDepth != 600 || c.LLM.PriceInput != .15 || c.LLM.PriceOutput != 2 ||
		c.Retry.MaxDelay != 90*time.Second || c.Log.Level != "auto" || c.Drop.Settle != 3*time.Second {
		t.Errorf("got %+v", c)
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for name, tc := range map[string]struct {
		yaml string
		env  string
		set  map[string]string
		want []string
	}{
		"unknown key with the nearest one":   {yaml: "limits:\n  max_conversations: 8MB\n", want: []string{"limits.max_conversations (in ", "did you mean limits.max_conversation?"}},
		"letters swapped":                    {yaml: "wrokers: 2\n", want: []string{"did you mean workers?"}},
		"right name in the wrong section":    {yaml: "max_conversation: 8MB\n", want: []string{"did you mean limits.max_conversation?"}},
		"single underscore in environment":   {env: "PAMLINE_LIMITS_MAX_DEPTH=20", want: []string{"limits_max_depth (in the environment)", "did you mean limits.max_depth?"}},
		"unknown on the command line":        {set: map[string]string{"log.levle": "info"}, want: []string{"log.levle (in the command line)", "did you mean log.level?"}},
		"nothing like it":                    {yaml: "zzzzzzzz: 1\n", want: []string{"zzzzzzzz", "there is no such setting"}},
		"value below a setting":              {yaml: "workers:\n  many: 2\n", want: []string{"workers is a whole number and has nothing below it"}},
		"value for a section":                {yaml: "limits: 8MB\n", want: []string{"limits (in ", "is a section"}},
		"bad size":                           {yaml: "limits:\n  shard_bytes: 8 megs\n", want: []string{`"8 megs" is not a size`, "8MiB"}},
		"size as a fraction without unit":    {set: map[string]string{"limits.shard_bytes": "1.5"}, want: []string{"not a size"}},
		"too big a size":                     {set: map[string]string{"limits.max_total": "99999999TiB"}, want: []string{"is more than"}},
		"duration without unit":              {yaml: "drop:\n  settle: 3\n", want: []string{"drop.settle", "with its unit"}},
		"duration of another kind":           {set: map[string]string{"drop.settle": "soon"}, want: []string{`"soon" is not a duration`}},
		"number that is none":                {set: map[string]string{"workers": "many"}, want: []string{`"many" is not a whole number`}},
		"list for a number":                  {yaml: "workers: [1, 2]\n", want: []string{"wants a whole number"}},
		"boolean that is none":               {set: map[string]string{"store.s3.path_style": "perhaps"}, want: []string{"neither true nor false"}},
		"number for a text":                  {yaml: "store:\n  s3:\n    access_key_id: 0123\n", want: []string{"put the value in quotes"}},
		"below the smallest value":           {set: map[string]string{"limits.shard_bytes": "10"}, want: []string{"limits.shard_bytes", "smallest value, 1KiB"}},
		"not one of the accepted":            {set: map[string]string{"log.level": "loud"}, want: []string{`"loud" is not one of auto, debug, info, warn, error`}},
		"owner id of another form":           {set: map[string]string{"owner": "Me!"}, want: []string{"owner", "a to z"}},
		"negative workers":                   {set: map[string]string{"workers": "-1"}, want: []string{"workers", "less than 0"}},
		"bucket missing":                     {set: map[string]string{"store.kind": "s3"}, want: []string{"store.s3.bucket", "is needed"}},
		"half a key pair":                    {set: map[string]string{"store.kind": "s3", "store.s3.bucket": "b", "store.s3.access_key_id": "x"}, want: []string{"belong together"}},
		"password in the endpoint":           {set: map[string]string{"store.kind": "s3", "store.s3.bucket": "b", "store.s3.endpoint": "https://u:p@h"}, want: []string{"must not hold a user or password"}},
		"password in the server address":     {set: map[string]string{"nats.url": "nats://u:p@h:4222"}, want: []string{"must not hold a user or password"}},
		"certificate without key":            {set: map[string]string{"nats.url": "tls://h", "nats.cert_file": "config.go"}, want: []string{"nats.cert_file", "belong together"}},
		"kms key without kms":                {set: map[string]string{"store.kind": "s3", "store.s3.bucket": "b", "store.s3.sse_kms_key_id": "k"}, want: []string{"needs store.s3.sse to be aws:kms"}},
		"file that is not there":             {set: map[string]string{"nats.ca_file": "nowhere.pem"}, want: []string{"nats.ca_file", "nowhere.pem"}},
		"secret file that is not there":      {set: map[string]string{"store.s3.secret_access_key_file": "nowhere"}, want: []string{"store.s3.secret_access_key_file", "read secret"}},
		"delays in the wrong order":          {set: map[string]string{"retry.first_delay": "5s", "retry.max_delay": "1s"}, want: []string{"retry.max_delay", "shorter"}},
		"address without port":               {set: map[string]string{"http.addr": "localhost"}, want: []string{"http.addr", "with a port"}},
		"everybody's imports for everybody":  {set: map[string]string{"http.addr": "0.0.0.0:80", "http.api": "true"}, want: []string{"http.api", "http.token_file"}},
		"and on all addresses":               {set: map[string]string{"http.addr": ":80", "http.api": "true"}, want: []string{"http.api", "http.token_file"}},
		"a token that is guessed":            {set: map[string]string{"http.token": "hush"}, want: []string{"http.token", "16 or more", "openssl rand"}},
		"a token that no header carries":     {set: map[string]string{"http.token": "0123456789 abcdef"}, want: []string{"http.token", "letters, digits"}},
		"two wrong things are both reported": {yaml: "wrokers: 2\nlimits:\n  max_depht: 3\n", want: []string{"did you mean workers?", "did you mean limits.max_depth?"}},
		"price that is none":                 {set: map[string]string{"llm.price_input": "cheap"}, want: []string{`"cheap" is not a number`}},
		"price below nothing":                {set: map[string]string{"llm.price_input": "-0.5"}, want: []string{"llm.price_input", "smallest value, 0"}},
		"limit of money without prices":      {set: map[string]string{"llm.model": "m", "llm.max_usd": "1"}, want: []string{"llm.max_usd", "llm.price_input"}},
		"a format that there is not":         {set: map[string]string{"publish.formats": "mem,pdf"}, want: []string{"publish.formats", "there is no format"}},
		"llm without a model":                {set: map[string]string{"extract.extractors": "rules, llm"}, want: []string{"extract.extractors", "needs llm.model"}},
		"password in a model's address":      {set: map[string]string{"llm.model": "m", "llm.url": "https://u:p@h/v1"}, want: []string{"llm.url", "must not hold a user or password"}},
		"extra fields that are no object":    {set: map[string]string{"llm.model": "m", "llm.extra_body": "[1]"}, want: []string{"llm.extra_body", "JSON object"}},
		"thinking that the API has not":      {set: map[string]string{"llm.model": "m", "llm.api": "anthropic", "llm.reasoning_effort": "low"}, want: []string{"llm.reasoning_effort", "llm.extra_body"}},
		"an effort of no list":               {set: map[string]string{"llm.model": "m", "llm.reasoning_effort": "maximal"}, want: []string{"llm.reasoning_effort"}},
		"batches that the API has not":       {set: map[string]string{"llm.model": "m", "llm.api": "ollama", "llm.batch": "true"}, want: []string{"llm.batch"}},
		"not YAML":                           {yaml: "limits: [", want: []string{"read configuration"}},
		"a list instead of sections":         {yaml: "- a\n- b\n", want: []string{"read configuration"}},
		"the same key twice":                 {yaml: "workers: 1\nworkers: 2\n", want: []string{"read configuration", "already defined"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Sources{Set: tc.set}
			if tc.yaml != "" {
				s.File = write(t, "c.yaml", tc.yaml)
			}
			if tc.env != "" {
				s.Environ = []string{tc.env}
			}
			_, err := Load(s)
			if err == nil {
				t.Fatal("was accepted")
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

func TestAValueForASectionDoesNotHideTheSettingsInIt(t *testing.T) {
	for range 20 { // the order of a map must not decide
		_, err := Load(Sources{Environ: []string{"PAMLINE_STORE=x", "PAMLINE_STORE__KIND=tape"}})
		if err == nil || !strings.Contains(err.Error(), "store (in the environment): is a section") {
			t.Fatalf("got %v", err)
		}
	}
}

func TestAMissingFileIsNamed(t *testing.T) {
	_, err := Load(Sources{File: filepath.Join(t.TempDir(), "none.yaml")})
	if err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestSecretsAreReadFromFiles(t *testing.T) {
	path := write(t, "secret", "hush hush\r\n")
	c := load(t, Sources{Set: map[string]string{"store.s3.access_key_id": "id", "store.s3.secret_access_key_file": path}})
	if got := c.Store.S3.SecretAccessKey.Reveal(); got != "hush hush" {
		t.Errorf("got %q", got)
	}
	_, err := Load(Sources{Set: map[string]string{"store.s3.secret_access_key": "CANARY", "store.s3.secret_access_key_file": path}})
	if err == nil || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("both forms at once: %v", err)
	}
	_, err = Load(Sources{Set: map[string]string{"store.s3.session_token_file": write(t, "empty", "\n")}})
	if err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("empty file: %v", err)
	}
	token := write(t, "token", strings.Repeat("ab", 32)+"\n")
	c = load(t, Sources{Set: map[string]string{"http.addr": "0.0.0.0:80", "http.api": "true", "http.token_file": token}})
	if got := c.HTTP.Token.Reveal(); got != strings.Repeat("ab", 32) {
		t.Errorf("got %q", got)
	}
}

func TestProblemsAreATypeOfTheirOwn(t *testing.T) {
	_, err := Load(Sources{Set: map[string]string{"a": "b"}})
	var p Problems
	if !errors.As(err, &p) || len(p) != 1 || p[0].Severity != Error || p[0].Key != "a" {
		t.Errorf("got %#v", err)
	}
}

func TestOwnerIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"me": true, "0": true, "a-b_c": true, strings.Repeat("a", 63): true,
		"": false, "-a": false, "_a": false, "A": false, "a.b": false, "a/b": false, "ä": false, "a\n": false, strings.Repeat("a", 64): false,
	} {
		if ValidOwner(id) != want {
			t.Errorf("ValidOwner(%q) is %v", id, !want)
		}
	}
}

func TestWarningsDoNotStopLoading(t *testing.T) {
	c := load(t, Sources{Set: map[string]string{"store.s3.bucket": "b", "http.addr": "0.0.0.0:80", "nats.url": "nats://h:4222", "tls.plain": "h", "limits.max_total": "1MB", "retry.max_delay": "2h", "llm.url": "http://h/v1", "embeddings.key": "k"}})
	var keys []string
	for _, p := range c.Lint() {
		if p.Severity != Warning {
			t.Errorf("an error: %v", p)
		}
		keys = append(keys, p.Key)
	}
	want := "store.s3 store.kind limits.max_total limits.max_conversation retry.max_delay http.addr llm embeddings"
	if got := strings.Join(keys, " "); got != strings.Replace(want, " limits.max_conversation", "", 1) {
		t.Errorf("warned about %s", got)
	}
}

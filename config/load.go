package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// Sources are where settings come from. All of them may be absent.
type Sources struct {
	// File is the path of a YAML file.
	File string
	// Environ lists "NAME=value" as os.Environ does. Names without the prefix PAMLINE_ are passed
	// over, and so are those in Reserved.
	Environ []string
	// Set holds settings of the command line by key.
	Set map[string]string
}

// Reserved are names in the environment that start like a setting and are none: the command line
// reads them.
var Reserved = []string{"PAMLINE_CONFIG"}

// Default is the configuration without any source.
func Default() *Config {
	c := new(Config)
	for _, f := range Fields() {
		if f.Default == "" || f.Type == "section" {
			continue
		}
		if err := f.set(c, f.Default); err != nil {
			panic(fmt.Sprintf("config: default of %s: %v", f.Key, err))
		}
	}
	return c
}

// Load reads the sources in rising order of precedence over the defaults and then the secrets that
// are named by file. The error is a [Problems] with everything that is wrong, or one about the file
// as a whole. What [Config.Lint] finds is in it only when it is an error.
func Load(s Sources) (*Config, error) {
	c := Default()
	var problems Problems
	for _, l := range []struct {
		name string
		load func(*koanf.Koanf) error
	}{
		{s.File, func(k *koanf.Koanf) error {
			if s.File == "" {
				return nil
			}
			return loadFile(k, s.File)
		}},
		{"the environment", func(k *koanf.Koanf) error {
			return k.Load(env.Provider(".", env.Opt{Prefix: EnvPrefix, TransformFunc: envKey, EnvironFunc: func() []string { return s.Environ }}), nil)
		}},
		{"the command line", func(k *koanf.Koanf) error {
			flat := make(map[string]any, len(s.Set))
			for key, value := range s.Set {
				flat[fullKey(key)] = value
			}
			return k.Load(confmap.Provider(flat, "."), nil)
		}},
	} {
		k := koanf.New(".")
		if err := l.load(k); err != nil {
			return nil, err
		}
		problems = append(problems, c.apply(k, l.name)...)
	}
	problems = append(problems, c.readSecrets()...)
	if len(problems) == 0 {
		for _, p := range c.Lint() {
			if p.Severity == Error {
				problems = append(problems, p)
			}
		}
	}
	if len(problems) > 0 {
		for i := range problems {
			problems[i].Severity = Error
		}
		return nil, problems
	}
	return c, nil
}

func loadFile(k *koanf.Koanf, path string) error {
	err := k.Load(file.Provider(path), yaml.Parser())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read configuration: there is no file %s", path)
	}
	if err != nil {
		return fmt.Errorf("read configuration %s: %w", path, err)
	}
	return nil
}

// envKey turns PAMLINE_LIMITS__MAX_CONVERSATION into limits.max_conversation.
func envKey(name, value string) (string, any) {
	for _, r := range Reserved {
		if name == r {
			return "", nil
		}
	}
	key := strings.ToLower(strings.TrimPrefix(name, EnvPrefix))
	return fullKey(strings.ReplaceAll(key, "__", ".")), value
}

// fullKey is the key of a setting that may be named by its section alone.
func fullKey(key string) string {
	if key == "owner" {
		return "owner.id"
	}
	return key
}

// apply sets what one source gives. A key without a value leaves the setting as it was.
func (c *Config) apply(k *koanf.Koanf, source string) Problems {
	known := make(map[string]Field)
	for _, f := range Fields() {
		known[f.Key] = f
	}
	var problems Problems
	for _, key := range k.Keys() {
		value := k.Get(key)
		f, ok := known[key]
		switch {
		case !ok:
			problems = append(problems, unknown(key, source, known))
		case value == nil:
		case f.Type == "section" && fullKey(key) != key:
			if err := known[fullKey(key)].set(c, value); err != nil {
				problems = append(problems, Problem{Key: key, Source: source, Message: err.Error()})
			}
		case f.Type == "section":
			if m, ok := value.(map[string]any); !ok || len(m) > 0 {
				problems = append(problems, Problem{Key: key, Source: source, Message: "is a section: it wants settings below it, not a value"})
			}
		default:
			if err := f.set(c, value); err != nil {
				problems = append(problems, Problem{Key: key, Source: source, Message: err.Error()})
			}
		}
	}
	return problems
}

func unknown(key, source string, known map[string]Field) Problem {
	p := Problem{Key: key, Source: source, Message: "there is no such setting"}
	// A value below a setting that takes one: say so instead of guessing another name.
	for i := strings.LastIndexByte(key, '.'); i > 0; i = strings.LastIndexByte(key[:i], '.') {
		if f, ok := known[key[:i]]; ok && f.Type != "section" {
			p.Message = fmt.Sprintf("there is no such setting: %s is a %s and has nothing below it", f.Key, f.Type)
			return p
		}
	}
	if near := nearest(key, known); near != "" {
		p.Message += fmt.Sprintf("; did you mean %s?", near)
	}
	return p
}

// readSecrets fills secrets from the files that name them.
func (c *Config) readSecrets() Problems {
	s3 := &c.Store.S3
	var problems Problems
	for _, s := range []struct {
		key    string
		secret *Secret
		path   string
	}{
		{"store.s3.secret_access_key", &s3.SecretAccessKey, s3.SecretAccessKeyFile},
		{"store.s3.session_token", &s3.SessionToken, s3.SessionTokenFile},
		{"llm.key", &c.LLM.Key, c.LLM.KeyFile},
		{"embeddings.key", &c.Embeddings.Key, c.Embeddings.KeyFile},
		{"http.token", &c.HTTP.Token, c.HTTP.TokenFile},
	} {
		if s.path == "" {
			continue
		}
		if s.secret.IsSet() {
			problems = append(problems, Problem{Key: s.key, Message: "is given as text and as " + s.key + "_file: leave one out"})
			continue
		}
		b, err := os.ReadFile(s.path)
		if err != nil {
			problems = append(problems, Problem{Key: s.key + "_file", Message: fmt.Sprintf("read secret: %v", err)})
			continue
		}
		text := strings.TrimRight(string(b), "\r\n")
		if text == "" {
			problems = append(problems, Problem{Key: s.key + "_file", Message: "the file is empty"})
			continue
		}
		*s.secret = NewSecret(text)
	}
	return problems
}

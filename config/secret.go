package config

import "fmt"

// Hidden is what is shown in place of a secret that is set.
const Hidden = "(hidden)"

// Secret is text that no log, error or print shows: every way of formatting it gives [Hidden], or
// nothing when it is empty. Reveal gives the text.
type Secret struct{ text string }

// NewSecret wraps a text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal gives the text, for the one place that needs it.
func (s Secret) Reveal() string { return s.text }

// IsSet tells whether there is a secret.
func (s Secret) IsSet() bool { return s.text != "" }

func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return Hidden
}

// Format hides the text from every verb, %#v and %x included.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText hides the text from JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

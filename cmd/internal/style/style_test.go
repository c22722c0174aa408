package style

import "testing"

func TestOnlyATerminalIsColored(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		env      map[string]string
		want     string
	}{
		{true, nil, "\x1b[31mno\x1b[0m"},
		{true, map[string]string{"TERM": "xterm-256color"}, "\x1b[31mno\x1b[0m"},
		{false, nil, "no"},
		{true, map[string]string{"NO_COLOR": "1"}, "no"},
		{true, map[string]string{"TERM": "dumb"}, "no"},
	} {
		s := For(c.terminal, func(name string) string { return c.env[name] })
		if got := s.Bad("no"); got != c.want {
			t.Errorf("%v %v: %q, want %q", c.terminal, c.env, got, c.want)
		}
	}
	if got := (Style{on: true}).Faint(""); got != "" {
		t.Errorf("an empty text became %q", got)
	}
}

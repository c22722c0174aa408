// Package style colors what a person reads on a terminal, and nothing anywhere else.
package style

// Style colors text. The zero Style leaves it as it is.
type Style struct{ on bool }

// For is the style of an output: colored when it is a terminal, unless NO_COLOR is set
// (https://no-color.org) or the terminal cannot show colors.
func For(terminal bool, getenv func(string) string) Style {
	return Style{terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
}

// On tells whether text is colored.
func (s Style) On() bool { return s.on }

// Good, Warning and Bad color how something ended; Strong and Faint weigh it.
func (s Style) Good(text string) string    { return s.sgr("32", text) }
func (s Style) Warning(text string) string { return s.sgr("33", text) }
func (s Style) Bad(text string) string     { return s.sgr("31", text) }
func (s Style) Strong(text string) string  { return s.sgr("1", text) }
func (s Style) Faint(text string) string   { return s.sgr("2", text) }

func (s Style) sgr(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

package copilot

import (
	"bytes"
	"strings"
)

// none is the place of a column that a table does not have.
const none = -1

// columns says what stands where in a table.
type columns struct {
	format string // export_format_version
	delim  byte
	count  int

	title, time, author, text int
}

// Formats of tables.
const (
	formatHistory = "activity-history"
	formatChat    = "chat-activity"
	formatWindows = "windows-prompts"
	formatUnknown = "unknown"
)

// formats are the known tables by the names of their columns: title, time, author, text, and one
// more that tells it.
var formats = []struct {
	name                            string
	title, time, author, text, more string
}{
	{formatHistory, "conversation", "time", "author", "message", ""},
	{formatChat, "chatname", "createdat", "author", "messagecontent", ""},
	{formatWindows, "", "timestamp", "", "prompt", "clientapp"},
}

// guesses are names of columns by which a table of Copilot's that nobody has seen can still be
// read.
var guesses = struct{ title, time, author, text []string }{
	title:  []string{"conversation", "chatname", "conversationname", "conversationtitle", "chattitle", "title", "topic"},
	time:   []string{"time", "createdat", "timestamp", "datetime", "date", "createddatetime"},
	author: []string{"author", "sender", "role", "speaker", "from"},
	text:   []string{"message", "messagecontent", "prompt", "content", "text", "body"},
}

// delims are what may stand between two cells: a comma, or what spreadsheets make of it.
const delims = ",;\t"

// maxHeader bounds the row with the names of the columns, in bytes.
const maxHeader = 4 << 10

// readHeader reads the names of columns. guess allows tables that are not known.
func readHeader(header []byte, guess bool) (columns, bool) {
	if len(header) > maxHeader {
		return columns{}, false
	}
	for i := range len(delims) {
		places := map[string]int{}
		n := 0
		for cell := range rawCells(header, delims[i]) {
			name := columnName(cell)
			if _, twice := places[name]; !twice {
				places[name] = n
			}
			n++
		}
		c := columns{delim: delims[i], count: n}
		if c.known(places) || guess && c.guessed(places) {
			return c, true
		}
	}
	return columns{}, false
}

// columnName is the name of a column without case, blanks and underscores.
func columnName(cell []byte) string {
	name := strings.ToLower(unquote(string(bytes.TrimSpace(cell))))
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _\t\u00a0\ufeff", r) {
			return -1
		}
		return r
	}, name)
}

func (c *columns) known(places map[string]int) bool {
	at := func(name string) (int, bool) {
		if name == "" {
			return none, true
		}
		i, ok := places[name]
		return i, ok
	}
	for _, f := range formats {
		var ok [5]bool
		c.format = f.name
		c.title, ok[0] = at(f.title)
		c.time, ok[1] = at(f.time)
		c.author, ok[2] = at(f.author)
		c.text, ok[3] = at(f.text)
		_, ok[4] = at(f.more)
		if ok == [5]bool{true, true, true, true, true} {
			return true
		}
	}
	return false
}

func (c *columns) guessed(places map[string]int) bool {
	at := func(names []string) int {
		for _, n := range names {
			if i, ok := places[n]; ok {
				return i
			}
		}
		return none
	}
	c.format = formatUnknown
	c.title, c.time, c.author, c.text = at(guesses.title), at(guesses.time), at(guesses.author), at(guesses.text)
	return c.time != none && c.text != none
}

// single tells that every row is a conversation of its own.
func (c *columns) single() bool { return c.title == none }

// cell gives the text of one cell of a row.
func (c *columns) cell(row []byte, at int) []byte {
	i := 0
	for cell := range rawCells(row, c.delim) {
		if i == at {
			return cell
		}
		i++
	}
	return nil
}

// begins tells whether a line begins like a row: the cells up to the message are on it, closed,
// with a time among them, or all of its cells are.
func (c *columns) begins(line []byte) bool {
	body := bytes.TrimRight(line, "\r\n")
	i, timed := 0, false
	for cell, closed := range rawCells(body, c.delim) {
		if i == c.text && timed {
			return true
		}
		if !closed {
			return false
		}
		if s, _ := advance(cellStart, cell, c.delim); s == misplaced {
			return false
		}
		if i == c.time {
			if _, timed = readMoment(unquote(string(cell)), monthFirst); !timed {
				return false
			}
		}
		i++
	}
	return timed && i == c.count
}

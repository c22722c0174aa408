package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pamline/pamline/extract/rules"
	"github.com/pamline/pamline/extract/segment"
)

// A set is read so often; the fastest round counts.
const speedRounds = 5

// speedLanguages are those whose chats are measured by themselves.
var speedLanguages = []string{"en", "zh", "ru"}

// measureSpeed prints how much of the person's text the extractor reads in a second on one core, in
// each set: by the clock, with compiled tables. What others say is given to it, too, but not
// counted.
func measureSpeed(out io.Writer, folder string) error {
	talk, err := readTalk(filepath.Join(folder, "msc-valid.jsonl.gz"))
	if err != nil {
		return err
	}
	chats, err := readChats(filepath.Join(folder, "alps-dev.jsonl.gz"))
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err = fmt.Fprintln(w, "set\tconversations\tmessages\tMB of the person\tMB/s\t")
	x := rules.New()
	row := func(name string, sessions []session) {
		bytes, messages := 0, 0
		for i := range sessions {
			n, size := ownText(&sessions[i])
			messages, bytes = messages+n, bytes+size
		}
		best := time.Duration(0)
		for round := range speedRounds {
			began := time.Now()
			for i := range sessions {
				x.Extract(&sessions[i].doc, nil)
			}
			if took := time.Since(began); round == 0 || took < best {
				best = took
			}
		}
		mb := float64(bytes) / 1e6
		_, fault := fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t%.1f\t\n", name, len(sessions), messages, mb, mb/best.Seconds())
		err = errors.Join(err, fault)
	}
	row("chats", chats)
	for _, language := range speedLanguages {
		row("chats "+language, sessionsIn(chats, language))
	}
	row("talk", talk)
	if err := errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("write speed: %w", err)
	}
	return nil
}

// ownText gives how many messages of the person a conversation has, and their bytes.
func ownText(s *session) (messages, size int) {
	for i := range s.doc.Messages {
		if m := &s.doc.Messages[i]; m.Role == "user" {
			messages, size = messages+1, size+len(m.PlainText())
		}
	}
	return messages, size
}

// sessionsIn gives the conversations in which the person writes in a language.
func sessionsIn(all []session, language string) (some []session) {
	for i := range all {
		var said strings.Builder
		for k := range all[i].doc.Messages {
			if m := &all[i].doc.Messages[k]; m.Role == "user" {
				said.WriteString(m.PlainText() + "\n")
			}
		}
		if segment.Language(said.String()) == language {
			some = append(some, all[i])
		}
	}
	return some
}

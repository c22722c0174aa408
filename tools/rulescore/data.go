package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// session is one annotated conversation.
type session struct {
	doc pamio.Conversation
	// gold are the turns of the person in which the annotators found something, with what.
	gold map[int]string
}

type turn struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// lines calls read with each line of a compressed file.
func lines(file string, read func(line []byte) error) (err error) {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("open evaluation data: %w; -eval names the folder", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	in := bufio.NewReader(z)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := read(line); err != nil {
				return fmt.Errorf("read %s: %w", file, err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
	}
}

// readTalk reads talks between two people, twice each: either is the person once.
func readTalk(file string) ([]session, error) {
	var all []session
	err := lines(file, func(line []byte) error {
		var d struct {
			ID     string `json:"id"`
			Dialog []struct {
				ID, Text string
				Facts    *string
			} `json:"dialog"`
		}
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		for _, me := range []string{"bot_0", "bot_1"} {
			s := session{gold: map[int]string{}}
			var turns []turn
			for i, u := range d.Dialog {
				role := "assistant"
				if u.ID == me {
					role = "user"
					if u.Facts != nil && *u.Facts != "" {
						s.gold[i] = *u.Facts
					}
				}
				turns = append(turns, turn{role, u.Text})
			}
			s.doc = conversation(d.ID+me, turns)
			all = append(all, s)
		}
		return nil
	})
	return all, err
}

type memory struct {
	Value    string `json:"value"`
	Evidence struct {
		Text  json.RawMessage `json:"text"`            // a string, mostly
		Index json.RawMessage `json:"utterance_index"` // a number, mostly
	} `json:"evidence"`
}

// readChats reads chats with assistants. A memory is tied to the turn that has the words of its
// evidence.
func readChats(file string) ([]session, error) {
	var all []session
	err := lines(file, func(line []byte) error {
		var d struct {
			ID       string   `json:"session_id"`
			Dialogue []turn   `json:"dialogue"`
			Gold     []memory `json:"gold"`
		}
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		s := session{doc: conversation(d.ID, d.Dialogue), gold: map[int]string{}}
		for i := range d.Gold {
			if at := place(d.Dialogue, &d.Gold[i]); at >= 0 {
				s.gold[at] += d.Gold[i].Value + "; "
			}
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

var signs = regexp.MustCompile(`[^\pL\pN]+`)

// place finds the turn of a memory, -1 for none.
func place(dialogue []turn, m *memory) int {
	squeeze := func(s string) string { return signs.ReplaceAllString(strings.ToLower(s), "") }
	var text string
	if json.Unmarshal(m.Evidence.Text, &text) != nil {
		text = string(m.Evidence.Text) // several pieces: they are squeezed together
	}
	quote := []rune(squeeze(text))
	quote = quote[:min(len(quote), 30)]
	try := make([]int, 0, len(dialogue)+1)
	if i, err := strconv.Atoi(string(m.Evidence.Index)); err == nil && i >= 0 && i < len(dialogue) {
		try = append(try, i)
	}
	for i := range dialogue {
		try = append(try, i)
	}
	for _, i := range try {
		if len(quote) > 0 && dialogue[i].Role == "user" && strings.Contains(squeeze(dialogue[i].Text), string(quote)) {
			return i
		}
	}
	if len(try) > len(dialogue) && dialogue[try[0]].Role == "user" {
		return try[0]
	}
	return -1
}

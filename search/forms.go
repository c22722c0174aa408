package search

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode/utf8"
)

// maxForms is how many words with the beginning of a term are looked at. If there are more, FTS5
// looks for the beginning itself, which takes long for frequent words: it reads all their rows
// first.
const maxForms = 200

// expression is the query in the language of FTS5, for messages. Other forms of a word are listed
// by the words that messages have.
func (f *finding) expression(ctx context.Context, loose looseness) (text string, err error) {
	text = f.query.join(loose, func(t *term, loose looseness) string {
		if loose != allForms || t.stem == "" || err != nil {
			return t.expression(loose)
		}
		words, isAll, failed := f.forms(ctx, t)
		switch {
		case failed != nil:
			err = failed
		case !isAll:
			return t.expression(loose)
		case len(words) == 0:
			return t.expression(allWords) // which has no rows
		}
		return `("` + strings.Join(words, `" OR "`) + `")`
	})
	return text, err
}

// maxSteps is how many rows of one word are stepped over before the next word is looked up: that
// takes as long as some dozens of steps.
const maxSteps = 40

// forms are the words of messages that begin like a term and are not much longer; isAll is false if
// there are too many to look at.
func (f *finding) forms(ctx context.Context, t *term) (words []string, isAll bool, err error) {
	look := lookup{stem: t.stem, longest: utf8.RuneCountInString(t.words[0]) + longestEnd, from: t.stem}
	from, err := f.conn.PrepareContext(ctx, `SELECT term FROM terms WHERE term >= ?`)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	for !look.isDone && look.seen < maxForms {
		rows, err := from.QueryContext(ctx, look.from)
		if err != nil {
			return nil, false, err
		}
		if err := errors.Join(look.step(rows), rows.Close()); err != nil {
			return nil, false, err
		}
	}
	return look.words, look.isDone, nil
}

// lookup goes through the words that begin like a stem, in their order.
type lookup struct {
	stem    string
	longest int
	words   []string
	// seen counts the words so far, from is where the next ones begin, isDone tells that there are
	// none.
	seen   int
	from   string
	isDone bool
}

// step steps through rows, one for each message with the word, until a word has too many.
func (l *lookup) step(rows *sql.Rows) error {
	word, steps := "", 0
	for rows.Next() {
		var raw sql.RawBytes
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		if string(raw) == word {
			if steps++; steps == maxSteps {
				return nil
			}
			continue
		}
		if word, steps = string(raw), 0; !strings.HasPrefix(word, l.stem) {
			l.isDone = true
			return nil
		}
		if utf8.RuneCountInString(word) <= l.longest {
			l.words = append(l.words, word)
		}
		l.from = word + " " // the first that can follow: no word has a space
		if l.seen++; l.seen == maxForms {
			return nil
		}
	}
	l.isDone = rows.Err() == nil
	return rows.Err()
}

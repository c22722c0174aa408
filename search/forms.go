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

// forms are the words of messages that begin like a term and are not much longer; isAll is false if
// there are too many to look at.
func (f *finding) forms(ctx context.Context, t *term) (words []string, isAll bool, err error) {
	longest := utf8.RuneCountInString(t.words[0]) + longestEnd
	next, err := f.conn.PrepareContext(ctx, `SELECT term FROM terms WHERE term >= ? ORDER BY term LIMIT 1`)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, next.Close()) }()
	from := t.stem
	for range maxForms {
		var word string
		err := next.QueryRowContext(ctx, from).Scan(&word)
		if errors.Is(err, sql.ErrNoRows) || err == nil && !strings.HasPrefix(word, t.stem) {
			return words, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		if utf8.RuneCountInString(word) <= longest {
			words = append(words, word)
		}
		from = word + " " // the first that can follow: no word has a space
	}
	return nil, false, nil
}

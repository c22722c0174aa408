package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/pamline/pamline/pamio"
)

// conversationFolder is where the conversation files of a bundle lie (PAM §2).
const conversationFolder = "conversations"

// file notes the conversation file of an index entry.
func (n *notes) file(f entryFacts) error {
	if f.path == "" {
		return nil
	}
	facts, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("note index entry: %w", err)
	}
	if f.ID != "" {
		n.id(f.ID)
		n.add(citedTable, n.record(defined).text(f.path))
	}
	n.key = append(n.key[:0], f.path...)
	n.add(fileTable, append(n.record(defined).int(f.Index), facts...))
	return nil
}

// conversations opens the conversation files that the index names, and reports those that are
// missing, shared or not named.
func (c *checker) conversations(s *document) error {
	err := eachFile(c.fsys, conversationFolder, func(name string) error {
		if path.Ext(name) != ".json" {
			return nil
		}
		return s.joins.tables[fileTable].add(name, record{referred})
	})
	if c.wrong(fileUnreadable, err != nil) {
		c.find(fileUnreadable, place{conversationFolder, "", -1}, "the folder cannot be listed: %s", reason(err))
	}
	if err := s.citations(); err != nil {
		return err
	}
	var file string
	var entry *entryFacts
	var cited []citation
	there := false
	flush := func() error {
		if file == "" {
			return nil
		}
		return c.conversationFile(s, file, entry, there, cited)
	}
	for r, err := range s.joins.tables[fileTable].rows() {
		if err != nil {
			return fmt.Errorf("read index entries: %w", err)
		}
		if r.first {
			if err := flush(); err != nil {
				return err
			}
			file, entry, there, cited = string(r.key), nil, false, cited[:0]
		}
		kind := r.byte()
		if kind == referred {
			there = true
			continue
		}
		index := r.int()
		if kind == listed {
			cited = append(cited, citation{index, r.text()})
			continue
		}
		if c.wrong(storageShared, entry != nil) {
			c.find(storageShared, placeOf(pamio.StoreFile, "conversations_index", index, "/storage/ref"), "the file %s is that of conversations_index/%d, too",
				quote(file), entry.Index)
			continue
		}
		entry = &entryFacts{}
		if err := json.Unmarshal(r.fields, entry); err != nil {
			return fmt.Errorf("read index entry: %w", err)
		}
	}
	return flush()
}

// conversationFile validates one conversation file and holds it against its index entry, if it has
// one.
func (c *checker) conversationFile(s *document, file string, entry *entryFacts, there bool, cited []citation) error {
	if entry != nil && !there {
		info, err := fs.Stat(c.fsys, file)
		there = err == nil && info.Mode().IsRegular()
	}
	if entry != nil && c.wrong(storageMissing, !there) {
		c.find(storageMissing, placeOf(pamio.StoreFile, "conversations_index", entry.Index, "/storage/ref"), "the file %s is not in the bundle", quote(file))
		return nil
	}
	if s.w.whole && !s.joins.blindIndex && c.wrong(conversationExtra, entry == nil && !c.kept[file]) {
		c.find(conversationExtra, place{file, "", -1}, "no entry of conversations_index names this file; readers will not see it")
	}
	if c.o.SkipConversations {
		return nil
	}
	d := c.document(file)
	d.expect, d.version = conversation, s.version
	if err := d.read(c.fsys, file, c.o.MaxConversation); err != nil {
		return err
	}
	if entry != nil && d.kind == conversation && d.w.whole {
		c.crossfile(file, pamio.StoreFile, *entry, d.about)
		if entry.ID == d.about.id {
			c.holdCitations(pamio.StoreFile, file, cited, d.graph)
		}
	}
	return nil
}

// eachFile gives the regular files below a folder. A folder that is not there has none. Big folders
// are read in pieces.
func eachFile(fsys fs.FS, folder string, yield func(string) error) error {
	f, err := fsys.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return errors.New("it is no folder")
	}
	for {
		entries, err := dir.ReadDir(1024)
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			var inner error
			switch {
			case e.IsDir():
				inner = eachFile(fsys, name, yield)
			case e.Type().IsRegular():
				inner = yield(name)
			}
			if inner != nil {
				return inner
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

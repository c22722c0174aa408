package validate

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/pamline/pamline/pamio"
)

// Run validates a target. What is wrong with it becomes findings; the error tells that validation
// itself could not go on: the context ended, a scratch file could not be written, or the base could
// not be read.
func Run(ctx context.Context, t Target, o Options) (Report, error) {
	o = o.withDefaults()
	c := &checker{tally: &tally{o: o}, ctx: ctx, fsys: t.FS, name: t.Name, kept: t.Kept}
	var err error
	if t.File != "" {
		err = c.single(t.File)
	} else {
		err = c.bundle()
	}
	for _, k := range t.Known {
		c.wrong(folderDiffers, true)
		c.find(folderDiffers, place{k.File, "", -1}, "%s", k.Problem)
	}
	return c.finish(), err
}

// checker validates one target.
type checker struct {
	*tally
	ctx  context.Context
	fsys fs.FS
	name string
	kept map[string]bool // [Target.Kept]
	// assets joins the files below assets/ with the messages that name them; nil where they are not
	// looked at.
	assets *table
	// incremental tells that the store is a delta, so that files may lie in its base.
	incremental bool
}

// single validates a document without anything beside it.
func (c *checker) single(file string) (err error) {
	d := c.document(c.name)
	d.joins = newJoins(c.tally)
	d.joins.file = c.name
	defer func() { err = errors.Join(err, d.joins.close()) }()
	if err := d.base(); err != nil {
		return err
	}
	if err := d.read(c.fsys, file, max(c.o.MaxFile, c.o.MaxConversation)); err != nil {
		return err
	}
	c.report.Unusable = !d.recognized()
	if !d.w.whole {
		return nil
	}
	if d.kind == embeddings {
		d.joins.file, d.joins.embedded = "", c.name
	}
	if d.kind == store || d.kind == embeddings {
		return d.joins.meet()
	}
	return nil
}

// bundle validates a store with the files beside it.
func (c *checker) bundle() (err error) {
	b, err := pamio.NewBundle(c.fsys)
	if c.wrong(bundleStoreMissing, errors.Is(err, pamio.ErrNoStore)) {
		c.find(bundleStoreMissing, place{c.name, "", -1}, "there is no %s at the root or in the only folder; is this a PAM bundle?", pamio.StoreFile)
		c.report.Unusable = true
		return nil
	}
	if c.wrong(fileUnreadable, err != nil) {
		c.find(fileUnreadable, place{c.name, "", -1}, "the bundle cannot be listed: %s", reason(err))
		c.report.Unusable = true
		return nil
	}
	c.fsys = b.FS()
	d := c.document(pamio.StoreFile)
	d.joins = newJoins(c.tally)
	d.joins.file, d.joins.companions = pamio.StoreFile, true
	d.expect = store
	defer func() { err = errors.Join(err, d.joins.close()) }()
	if err := d.base(); err != nil {
		return err
	}
	if err := d.read(c.fsys, pamio.StoreFile, c.o.MaxFile); err != nil {
		return err
	}
	c.report.Unusable = !d.recognized()
	if d.kind != store {
		return nil
	}
	c.incremental = d.joins.incremental
	whole, err := c.embeddings(d)
	if err != nil {
		return err
	}
	if d.w.whole {
		d.joins.blindEmbeddings = d.joins.blindEmbeddings || !whole
		if err := d.joins.meet(); err != nil {
			return err
		}
	}
	if c.o.SkipConversations {
		return c.conversations(d)
	}
	c.assets = &table{c.o.sorter()}
	defer func() { err = errors.Join(err, c.assets.s.Close()) }()
	if err := c.conversations(d); err != nil {
		return err
	}
	if err := c.checkAssets(); err != nil {
		return err
	}
	return c.checkSums()
}

// embeddings reads embeddings.json, if there is one, into the joins of the store.
func (c *checker) embeddings(s *document) (whole bool, err error) {
	if _, err := fs.Stat(c.fsys, pamio.EmbeddingsFile); errors.Is(err, fs.ErrNotExist) {
		return true, nil // no fault (PAM §12.1.3)
	}
	s.joins.embedded = pamio.EmbeddingsFile
	d := c.document(pamio.EmbeddingsFile)
	d.expect, d.version, d.joins = embeddings, s.version, s.joins
	if err := d.read(c.fsys, pamio.EmbeddingsFile, c.o.MaxFile); err != nil {
		return false, err
	}
	return d.w.whole, nil
}

// openFile opens a regular file of the target.
func openFile(fsys fs.FS, file string) (io.ReadCloser, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

package validate

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// base reads the facts of the base into the joins. Its own faults are not reported: it is validated
// for itself.
func (d *document) base() error {
	if d.o.Base == nil {
		return nil
	}
	d.joins.based = true
	fsys, file := d.o.Base.FS, d.o.Base.File
	if file == "" {
		b, err := pamio.NewBundle(fsys)
		if err != nil {
			return fmt.Errorf("read base: %w", err)
		}
		fsys, file = b.FS(), b.StoreName()
		switch err := d.baseFile(fsys, pamio.EmbeddingsFile); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		}
	} else {
		d.joins.blindEmbeddings = true // they lie somewhere else
	}
	if err := d.baseFile(fsys, file); err != nil {
		return err
	}
	if !d.joins.baseRead {
		return fmt.Errorf("read base: %s is not a PAM memory store", file)
	}
	return nil
}

func (d *document) baseFile(fsys fs.FS, file string) error {
	r, err := openFile(fsys, file)
	if err != nil {
		return fmt.Errorf("read base: %w", err)
	}
	defer r.Close()
	silent := &tally{o: d.o}
	silent.o.OnFinding = nil
	var doc jsonscan.Doc
	index := map[string]int{}
	n := notes{based: true}
	err = eachFrame(r, d.o, func(wrapper string, raw []byte) error {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if err := doc.Parse(raw, d.o.MaxDepth); err != nil {
			return fmt.Errorf("%s/%d: %w", wrapper, index[wrapper], err)
		}
		e := &element{tally: silent, file: file, wrapper: wrapper, index: index[wrapper], offset: -1, raw: raw, root: doc.Root()}
		index[wrapper]++
		switch wrapper {
		case "":
			d.joins.baseRead = d.joins.baseRead || e.root.Get("schema").Is(pamio.StoreSchema)
			if id, ok := text(e.root.Get("export_id")); ok && file != pamio.EmbeddingsFile {
				d.joins.baseExport = id
			}
		case "memories":
			n.memory(e.memory(), base)
		case "conversations_index":
			if err := n.entry(e.entry(), base); err != nil {
				return err
			}
		case "embeddings":
			f := e.embedding()
			if f.id != "" {
				n.id(f.id)
				n.add(embeddingTable, n.record(defined, byte(base)).int(f.index).text(f.memory))
			}
		}
		return d.joins.take(&n)
	})
	if err != nil {
		return fmt.Errorf("read base: %w", err)
	}
	return nil
}

// baseID checks that an incremental export builds on the base that is given (PAM §16.3.1).
func (j *joins) baseID(e *element) {
	id, ok := text(e.root.Get("base_export_id"))
	if !j.based || !j.incremental || !ok {
		return
	}
	if j.wrong(incrementalBase, id != j.baseExport) {
		j.find(incrementalBase, e.at("/base_export_id", e.root.Get("base_export_id")), "base_export_id is %s, the export_id of the given base is %s", quote(id),
			quote(j.baseExport))
	}
}

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/tools/internal/made"
)

// Material is everything that is dropped in a run.
type Material struct {
	Seed   uint64
	Owners []string
	Drops  []Drop
	// Again is what is asked for when all have been imported.
	Again Again
}

// owners have names that are easily taken for one another.
var owners = []string{"ana", "ana-2", "a_na"}

// largeName is that of a drop that each owner has.
const largeName = "large.zip"

// canary is what only one owner's drops say.
func canary(owner string) string { return "canary " + owner + " bird" }

// newMaterial makes the drops of a seed: the exports of all providers, divided among the owners,
// made-up ones of many conversations, one in parts, some of them twice, a damaged one and some that
// are refused.
func newMaterial(root string, seed uint64, short bool) (Material, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	m := Material{Seed: seed, Owners: slices.Clone(owners)}
	if short {
		m.Owners = m.Owners[:2]
	}
	archives, err := providerFiles(root, r, short)
	if err != nil {
		return m, err
	}
	for i, files := range archives {
		owner := m.Owners[r.IntN(len(m.Owners))]
		if i == 0 {
			m.add(r, unpacked(owner, "unpacked export", files))
			continue
		}
		body, err := pack(r, files)
		if err != nil {
			return m, err
		}
		m.add(r, file(owner, fmt.Sprintf("my export (%d) +ü%%20.zip", i), body))
	}
	least := 20
	if short {
		least = 5
	}
	for i, owner := range m.Owners {
		large, err := madeUp(seed*8+uint64(i), least+r.IntN(least), int64(r.IntN(2)*300_000))
		if err != nil {
			return m, err
		}
		small, err := madeUp(seed*8+uint64(i)+4, 3, 0)
		if err != nil {
			return m, err
		}
		mine, err := pack(r, map[string][]byte{"conversations.json": canaries(owner, seed)})
		if err != nil {
			return m, err
		}
		m.add(r, file(owner, largeName, large))
		parts := inParts(owner, "in parts", Part{"part b.zip", small}, Part{"a part.zip", mine})
		parts.Marked = i%2 == 0
		m.add(r, parts)
	}
	if err := m.addOdd(r); err != nil {
		return m, err
	}
	for i := range m.Drops {
		m.Drops[i].name()
	}
	m.again()
	return m, nil
}

// oneDrop is a single large drop of one owner.
func oneDrop(seed uint64) (Material, error) {
	m := Material{Seed: seed, Owners: owners[:1]}
	body, err := madeUp(seed, 400, 0)
	if err != nil {
		return m, err
	}
	d := file(owners[0], canary(owners[0])+".zip", body)
	d.name()
	m.Drops = []Drop{d}
	return m, nil
}

// add gives a drop its time, and decides whether NATS is told of it.
func (m *Material) add(r *rand.Rand, d Drop) {
	d.At, d.Silent = r.Float64()*0.9, r.IntN(4) == 0
	if d.Folder && !d.Marked {
		d.At *= 0.5 // it counts when it has been quiet for a while
	}
	m.Drops = append(m.Drops, d)
}

// againMark begins the names under which the same bytes are dropped again.
const againMark = "again "

// addOdd adds what goes wrong by itself, and what is put twice.
func (m *Material) addOdd(r *rand.Rand) error {
	body, err := madeUp(m.Seed*8+7, 6, 0)
	if err != nil {
		return err
	}
	owner := func() string { return m.Owners[r.IntN(len(m.Owners))] }
	damaged := slices.Clone(body)
	damaged[len(damaged)/2] ^= 0xff
	m.add(r, file(owner(), "damaged.zip", damaged))
	m.add(r, file(owner(), "torn.zip", body[:len(body)/2]))
	nothing, err := pack(r, map[string][]byte{"holiday.txt": fmt.Appendf(nil, "nothing to see, %d", m.Seed)})
	if err != nil {
		return err
	}
	m.add(r, file(owner(), "holiday.zip", nothing))
	files := slices.DeleteFunc(slices.Clone(m.Drops), func(d Drop) bool { return d.Folder })
	for range 2 {
		again := files[r.IntN(len(files))]
		twin := file(again.Owner, againMark+again.Name, again.Parts[0].Body)
		m.add(r, twin)
		m.Drops[len(m.Drops)-1].At = again.At + (1-again.At)*r.Float64()
	}
	return nil
}

// madeUp is an export that nobody ever had.
func madeUp(seed uint64, conversations int, pictures int64) ([]byte, error) {
	var b bytes.Buffer
	err := made.Export{Seed: seed, Conversations: conversations, Facts: conversations / 2, Pictures: pictures}.Write(&b)
	return b.Bytes(), err
}

// canaries is an export of conversations in which the owner is named.
func canaries(owner string, seed uint64) []byte {
	var b strings.Builder
	for i := range 3 {
		sep := ","
		if i == 0 {
			sep = "["
		}
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", seed, i)
		at := 1.7e9 + float64(i)
		fmt.Fprintf(&b, `%s{"title":%q,"create_time":%f,"update_time":%f,"conversation_id":%q,"id":%q,"current_node":"m-%d","mapping":{`+
			`"r-%d":{"id":"r-%d","message":null,"parent":null,"children":["m-%d"]},`+
			`"m-%d":{"id":"m-%d","message":{"id":"m-%d","author":{"role":"user"},"create_time":%f,"content":{"content_type":"text","parts":[%q]},"metadata":{}},"parent":"r-%d","children":[]}}}`,
			sep, canary(owner), at, at, id, id, i, i, i, i, i, i, i, at, "My name is "+canary(owner)+". I live in Oslo.", i)
	}
	return []byte(b.String() + "]")
}

// providerFiles are the providers' made-up exports, by path, some providers together.
func providerFiles(root string, r *rand.Rand, short bool) ([]map[string][]byte, error) {
	folders, err := filepath.Glob(filepath.Join(root, "providers", "*", "testdata"))
	if err != nil || len(folders) == 0 {
		return nil, fmt.Errorf("find the providers' exports under %s: %d, %w", root, len(folders), err)
	}
	slices.Sort(folders)
	r.Shuffle(len(folders), func(i, j int) { folders[i], folders[j] = folders[j], folders[i] })
	each := 3
	if short {
		each = 8
	}
	var out []map[string][]byte
	for group := range slices.Chunk(folders, each) {
		files := map[string][]byte{}
		for _, folder := range group {
			name := filepath.Base(filepath.Dir(folder))
			if slices.Contains([]string{"importertest", "lossless", "manual", "sqlite", "importer", "htmlmd"}, name) {
				continue
			}
			if err := collect(files, name, folder); err != nil {
				return nil, err
			}
		}
		if len(files) > 0 {
			out = append(out, files)
		}
	}
	return out, nil
}

func collect(files map[string][]byte, name, folder string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "fuzz" {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || strings.HasSuffix(path, ".golden") {
			return nil
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && len(data) > 0 {
			files[name+"/"+filepath.ToSlash(rel)] = data
		}
		return err
	})
}

// pack makes a zip, in an order and with a compression of chance.
func pack(r *rand.Rand, files map[string][]byte) ([]byte, error) {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Unix(1_700_000_000, 0)}
		if r.IntN(3) == 0 {
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

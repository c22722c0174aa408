package work

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// drop puts an archive into the inbox of an owner, with its record.
func (r *rig) drop(owner string, archive []byte) job.Ref {
	r.t.Helper()
	sum := sha256.Sum256(archive)
	part := state.DropPart{Name: "letters to a friend.zip", SHA256: hex.EncodeToString(sum[:]), Size: int64(len(archive))}
	rec := state.DropRecord{V: 1, Owner: owner, Parts: []state.DropPart{part}}
	rec.Drop = state.DropDigest(rec.Parts)
	rec.Parts[0].Key = state.DropKey(owner, rec.Drop, "part-000")
	ctx := context.Background()
	if _, err := r.data.Put(ctx, rec.Parts[0].Key, bytes.NewReader(archive), blob.PutOptions{}); err != nil {
		r.t.Fatal(err)
	}
	if err := objects.PutJSON(ctx, r.data, state.DropKey(owner, rec.Drop, "drop.json"), rec); err != nil {
		r.t.Fatal(err)
	}
	return job.Ref{Owner: owner, Drop: rec.Drop}
}

// talks is an export of conversations in which a person says something of themselves. Talks of one
// name are the same conversations.
func talks(name string, n int, says string) []byte {
	type m = map[string]any
	message := func(id, parent, child, role, text string, at int) m {
		children := []string{}
		if child != "" {
			children = append(children, child)
		}
		return m{"id": id, "parent": parent, "children": children, "message": m{"id": name + id, "author": m{"role": role}, "create_time": at,
			"content": m{"content_type": "text", "parts": []string{text}}, "metadata": m{}}}
	}
	var list []m
	for i := range n {
		at := 1700000000 + 1000*i
		id := fmt.Sprintf("%s-%d", name, i)
		list = append(list, m{"conversation_id": id, "title": "Talk", "create_time": at, "update_time": at + 100, "current_node": "c", "mapping": m{
			"a": m{"id": "a", "message": nil, "parent": nil, "children": []string{"b"}},
			"b": message("b", "a", "c", "user", fmt.Sprintf(says, i), at+1),
			"c": message("c", "b", "", "assistant", "That is good to know.", at+2),
		}})
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return zipOf(map[string]string{"conversations.json": string(body)})
}

func zipOf(files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

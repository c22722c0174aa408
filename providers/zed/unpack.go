package zed

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// unpack gives a row with the JSON of its data under "thread", in the place of data and data_type.
// A row that has a thread already stays as it is.
func unpack(u importer.Unit) ([]byte, error) {
	limits := u.Limits.WithDefaults()
	row, err := jsonscan.Parse(u.Raw, limits.MaxDepth)
	if err != nil {
		_, err := lossless.Parse(u) // the same, with its place
		return u.Raw, err
	}
	root := row.Root()
	if root.Get("thread").Exists() || root.Kind() != jsonscan.Object {
		return u.Raw, nil
	}
	thread, err := data(u, root, limits.MaxConversation)
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for k, v := range root.Fields() {
		if k.Is("data") || k.Is("data_type") {
			continue
		}
		out = append(append(out, k.Raw()...), ':')
		out = append(v.AppendCompact(out), ',')
	}
	out = append(pamio.AppendString(out, "thread"), ':')
	return append(append(out, thread...), '}'), nil
}

// data gives the JSON that a row holds.
func data(u importer.Unit, root jsonscan.Node, limit int64) ([]byte, error) {
	text := []byte(root.Get("data").Str())
	if blob := root.Get("data").Get("$blob"); blob.Kind() == jsonscan.String {
		var err error
		if text, err = base64.StdEncoding.DecodeString(blob.Str()); err != nil {
			return nil, lossless.Fail(u, lossless.CodeSyntax, "the data of the thread cannot be read: %s", err.Error())
		}
	}
	if kind := root.Get("data_type"); kind.Is("zstd") {
		in, err := zstd.NewReader(bytes.NewReader(text), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)+1<<20))
		if err != nil {
			return nil, fmt.Errorf("read compressed data: %w", err)
		}
		defer in.Close()
		if text, err = io.ReadAll(io.LimitReader(in, limit+1)); err != nil {
			return nil, lossless.Fail(u, lossless.CodeSyntax, "the compressed data of the thread is damaged: %s", err.Error())
		}
	} else if !kind.Is("json") && !kind.Is("") && kind.Exists() && !kind.IsNull() {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the data of the thread is in a form that is not known")
	}
	if int64(len(text)) > limit {
		return nil, lossless.Fail(u, cut.CodeTooBig, "the thread has more bytes than the limit of %d; raise limits.max_conversation to read it", limit)
	}
	if d, err := jsonscan.Parse(text, u.Limits.WithDefaults().MaxDepth); err != nil || d.Root().Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, lossless.CodeSyntax, "the data of the thread is not a JSON object")
	}
	return text, nil
}

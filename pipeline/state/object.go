package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
)

// maxObject bounds the small JSON objects that are read whole (manifests, receipts, markers).
const maxObject = 256 << 20

// ReadJSON decodes a small object and gives its ETag, that of one which cannot be decoded, too: its error is of class Permanent.
func ReadJSON(ctx context.Context, s blob.Store, key string, into any) (tag string, err error) {
	rc, o, err := s.Get(ctx, key, blob.Range{})
	if err != nil {
		return "", err
	}
	defer rc.Close()
	if o.Size > maxObject {
		return o.ETag, fault.Permanentf(UnusableHint(key), "read %s: %d bytes are more than the %d this object may have", key, o.Size, int64(maxObject))
	}
	body, err := io.ReadAll(rc)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", key, err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return o.ETag, fault.Permanentf(UnusableHint(key), "decode %s: %w", key, err)
	}
	return o.ETag, nil
}

// EncodeJSON is the form of small objects: indented, with a line feed at the end.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b.Bytes(), nil
}

// PutJSON writes an object whatever was there.
func PutJSON(ctx context.Context, s blob.Store, key string, v any) error {
	body, err := EncodeJSON(v)
	if err != nil {
		return err
	}
	_, err = s.Put(ctx, key, bytes.NewReader(body), blob.PutOptions{})
	return err
}

// SwapJSON writes an object if it still has the given ETag, or, with "", if there is none.
func SwapJSON(ctx context.Context, s blob.Store, key, tag string, v any) error {
	body, err := EncodeJSON(v)
	if err != nil {
		return err
	}
	o := blob.PutOptions{IfMatch: tag, IfAbsent: tag == ""}
	_, err = s.Put(ctx, key, bytes.NewReader(body), o)
	return err
}

// Exists tells whether there is an object.
func Exists(ctx context.Context, s blob.Store, key string) (bool, error) {
	_, err := s.Head(ctx, key)
	if errors.Is(err, blob.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

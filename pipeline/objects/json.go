package objects

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

// maxObject bounds the small JSON objects that are read whole (manifests, receipts, records).
const maxObject = 256 << 20

// ReadJSON decodes a small object, whose seal it checks, and gives its ETag, also if the object
// cannot be decoded. That error is of class Permanent.
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
	if errors.Is(err, ErrDamaged) {
		return o.ETag, Damaged(key, err)
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", key, err)
	}
	return o.ETag, decodeSealed(key, body, into)
}

// ReadJSONOf decodes an object that another one names by its digest, and gives the digest. For ""
// it is not known yet.
func ReadJSONOf(ctx context.Context, s blob.Store, key, digest string, into any) (sum string, err error) {
	body, sum, err := ReadVerified(ctx, s, key, digest)
	if err == nil {
		err = decodeSealed(key, body, into)
	}
	return sum, err
}

func decodeSealed(key string, body []byte, into any) error {
	body, err := removeSeal(key, body)
	if err != nil {
		return Damaged(key, err)
	}
	return DecodeJSON(key, body, into)
}

// DecodeJSON decodes an object strictly: an unknown field may change what the known ones mean.
func DecodeJSON(key string, body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fault.Permanentf(UnusableHint(key), "decode %s: %w", key, err)
	}
	return nil
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

// PutJSON writes a sealed object whatever was there.
func PutJSON(ctx context.Context, s blob.Store, key string, v any) error {
	body, err := EncodeSealed(key, v)
	if err != nil {
		return err
	}
	_, err = s.Put(ctx, key, bytes.NewReader(body), blob.PutOptions{})
	return err
}

// SwapJSON writes a sealed object if it still has the given ETag, or, for "", if there is no
// object. A lost swap is blob.ErrPrecondition. After any other error the swap may have been done.
func SwapJSON(ctx context.Context, s blob.Store, key, tag string, v any) error {
	body, err := EncodeSealed(key, v)
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

// HasAny tells whether there is an object with a prefix.
func HasAny(ctx context.Context, s blob.Store, prefix string) (bool, error) {
	for _, err := range s.List(ctx, prefix) {
		return err == nil, err
	}
	return false, nil
}

// PutOnce writes an object that no later write replaces. If there is one already, the stored bytes
// count, written is false, and the writer discards its own.
func PutOnce(ctx context.Context, s blob.Store, key string, body []byte) (written bool, err error) {
	_, err = s.Put(ctx, key, bytes.NewReader(body), blob.PutOptions{IfAbsent: true})
	if errors.Is(err, blob.ErrPrecondition) {
		return false, nil
	}
	return err == nil, err
}

// PutOnceJSON is PutOnce of a sealed object.
func PutOnceJSON(ctx context.Context, s blob.Store, key string, v any) (written bool, err error) {
	body, err := EncodeSealed(key, v)
	if err != nil {
		return false, err
	}
	return PutOnce(ctx, s, key, body)
}

// PutEmpty writes an empty object, whatever was there: a hint or a mark.
func PutEmpty(ctx context.Context, s blob.Store, key string) error {
	_, err := s.Put(ctx, key, bytes.NewReader(nil), blob.PutOptions{})
	return err
}

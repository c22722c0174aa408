package sealed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
)

// State of a store.
type State string

// The states of a store.
const (
	Plain      State = "plain"
	Encrypted  State = "encrypted"
	Encrypting State = "encrypting" // a conversion was begun
	Decrypting State = "decrypting"
)

// mark is keys/store.json.
type mark struct {
	V      int    `json:"v"`
	State  State  `json:"state"`
	Master string `json:"master"`
}

// ReadState tells whether a store is encrypted, and with which master key. A store that has data
// keys is, even if its mark was lost.
func ReadState(ctx context.Context, s blob.Store) (State, string, error) {
	body, _, err := blob.ReadAll(ctx, s, markKey, maxKeyFile)
	if errors.Is(err, blob.ErrNotExist) {
		for _, err := range s.List(ctx, ownersRoot) {
			return Encrypted, "", err
		}
		return Plain, "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("read whether the store is encrypted: %w", err)
	}
	var m mark
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil || m.V != 1 || m.State != Encrypted && m.State != Encrypting && m.State != Decrypting {
		return "", "", &blob.DamagedError{Key: markKey, Err: errors.New("it does not say whether the store is encrypted; remove it if there are data keys beside it: then it is")}
	}
	return m.State, m.Master, nil
}

// WriteState marks a store.
func WriteState(ctx context.Context, s blob.Store, state State, master Master) error {
	body, err := json.Marshal(mark{1, state, master.ID()})
	if err != nil {
		return err
	}
	_, err = s.Put(ctx, markKey, bytes.NewReader(append(body, '\n')), blob.PutOptions{})
	return err
}

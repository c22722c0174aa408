package converted

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/providers/importer"
)

// filesOf reads the files of the bundle that a conversation names. They go with the conversation,
// because the scratch folder does not outlive the splitting.
func filesOf(ctx context.Context, u importer.Unit, c importer.Claim) (map[int][]byte, error) {
	var files map[int][]byte
	for _, m := range c.Members {
		if m.Role != importer.RoleAsset || len(u.Raw) == 0 || !bytes.Contains(u.Raw, []byte(m.Member.Name)) {
			continue
		}
		r, err := m.Member.Open(ctx)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", m.Member.Name, err)
		}
		data, err := io.ReadAll(io.LimitReader(r, u.Limits.WithDefaults().MaxConversation))
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, fmt.Errorf("read %s: %w", m.Member.Name, err)
		}
		if files == nil {
			files = map[int][]byte{}
		}
		files[m.Member.Index] = data
	}
	return files, nil
}

// placeFiles puts the files of the bundle into a snapshot, in place of the references to members.
func (in *unitOf) placeFiles(s *importer.Snapshot) {
	refs := map[int]string{}
	place := func(ref *string) {
		i, ok := importer.ParseMemberRef(*ref)
		if !ok {
			return
		}
		if refs[i] == "" {
			a, _ := importer.NewAsset(in.files[i])
			s.Assets = append(s.Assets, a)
			refs[i] = a.Ref
		}
		*ref = refs[i]
	}
	for i := range s.Doc.Messages {
		m := &s.Doc.Messages[i]
		for k := range m.Attachments {
			place(&m.Attachments[k].Ref)
		}
		if m.Content == nil {
			continue
		}
		for k := range m.Content.Parts {
			place(&m.Content.Parts[k].Ref)
		}
	}
}

package deepseek

import (
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeUser makes a profile of user.json. It says nothing in words.
func decodeUser(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	if src.Root.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, "not_a_profile", "the file of the account holds no object")
	}
	id := accountOf(src.Root)
	return []importer.Item{{Record: &importer.Record{Kind: importer.RecordProfile, Provider: provider, ID: id, AccountID: id, Raw: src.Root.AppendCompact(nil)}}}, nil
}

func accountOf(user jsonscan.Node) string { return either(user, "user_id", "id").Str() }

package sillytavern

import "github.com/pamline/pamline/providers/lossless"

// schemas differ in how they write dates only.
var schemas = lossless.Schemas{
	datesMillis: newSchema(datesMillis),
	datesISO:    newSchema(datesISO),
	datesText:   newSchema(datesText),
	datesNamed:  newSchema(datesNamed),
}

func newSchema(dates string) *lossless.Schema {
	return &lossless.Schema{
		Conversation: []lossless.Rule{
			{Path: "/header/character_name", Slot: lossless.Title},
			{Path: "/header/create_date", Slot: lossless.Created, Form: forms[datesNamed]},
			{Path: "/messages", Slot: lossless.MessageList},
		},
		Message: []lossless.Rule{
			{Path: "/is_user", Slot: lossless.Role, Form: lossless.FlagRole("user", "assistant")},
			{Path: "/send_date", Slot: lossless.Created, Form: forms[dates]},
			{Path: "/mes", Slot: lossless.Text},
			{Path: "/swipes/*", Slot: lossless.Text},
			{Path: "/extra/reasoning", Slot: lossless.Text, Rank: 1}, // seldom there, so it may not stand in the way
			{Path: "/swipe_info/*/extra/reasoning", Slot: lossless.Text, Rank: 1},
			{Path: "/swipe_info/*/send_date", Slot: lossless.MessageCreated, Form: forms[dates]},
			{Path: "/extra/model", Slot: lossless.MessageModel},
			{Path: "/swipe_info/*/extra/model", Slot: lossless.MessageModel},
			{Path: "/extra/file/name", Slot: lossless.AttachName},
			{Path: "/extra/file/size", Slot: lossless.AttachSize},
			{Path: "/extra/files/*/name", Slot: lossless.AttachName},
			{Path: "/extra/files/*/size", Slot: lossless.AttachSize},
		},
		Fields: []string{"header", "messages"},
		MessageFields: []string{
			"name", "is_name", "is_system", "is_group", "swipes", "swipe_id", "swipe_info", "extra", "force_avatar", "original_avatar", "gen_started",
			"gen_finished", "gen_id", "title", "variables", "continueHistory", "continueSwipeId", "continueSwipe", "index",
		},
	}
}

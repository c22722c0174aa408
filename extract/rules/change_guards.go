package rules

// guards are the words of a language that tell a change from what only sounds like one.
type guards struct {
	passing, generic, actors, selves, places, people, hours, behind, games classID
	// kin are the classes of relatives and partners.
	kin []classID
	// frames are patterns that tell of a game, a dream or a story.
	frames *trie
	manner []string
	// capitals tells that only names begin with a capital.
	capitals bool
}

// guards adds the guards of a language, and the games of all.
func (c *compiler) guards(src *changes) error {
	g := &c.t.change.guards
	g.manner, g.capitals = src.Manner, src.Capitals
	k, err := changeKinds()
	if err != nil {
		return err
	}
	if g.games, err = c.class(changeScope+"games", k.Games); err != nil {
		return err
	}
	for _, name := range [...]string{"kin", "one", "many", changeScope + "mate"} {
		if id, ok := c.t.named[name]; ok {
			g.kin = append(g.kin, id)
		}
	}
	return nil
}

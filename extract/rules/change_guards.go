package rules

// guards are the words of a language that tell a change from what only sounds like one.
type guards struct {
	passing, generic, actors, selves, places, people, hours, behind, losing, causes, games, forums, scenes classID
	// kin are the classes of relatives and partners.
	kin []classID
	// frames are patterns that tell of a game, a dream or a story, figures those of figures of
	// speech in which nobody dies or parts.
	frames, figures *trie
	manner          []string
	// capitals tells that only names begin with a capital.
	capitals bool
	// impersonal tells that verbs do not tell the person.
	impersonal bool
}

// guards adds the guards of a language, and the games of all.
func (c *compiler) guards(src *changes) error {
	g := &c.t.change.guards
	g.manner, g.capitals, g.impersonal = src.Manner, src.Capitals, src.Impersonal
	k, err := changeKinds()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		list words
		id   *classID
	}{
		{"passing", src.Passing, &g.passing}, {"generic", src.Generic, &g.generic}, {"actors", src.Actors, &g.actors}, {"selves", src.Selves, &g.selves}, {"places", src.Places, &g.places},
		{"people", src.People, &g.people}, {"hours", src.Hours, &g.hours}, {"behind", src.Behind, &g.behind}, {"losing", src.Losing, &g.losing}, {"causes", src.Causes, &g.causes},
		{"scenes", src.Scenes, &g.scenes}, {"games", k.Games, &g.games}, {"forums", k.Forums, &g.forums},
	} {
		if *f.id, err = c.unionClass(changeScope+f.name, f.list, src.Classes); err != nil {
			return err
		}
	}
	for _, name := range [...]string{"kin", "one", "many", changeScope + "mate"} {
		if id, ok := c.t.named[name]; ok {
			g.kin = append(g.kin, id)
		}
	}
	return nil
}

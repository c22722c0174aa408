package normalize

import (
	"slices"
	"strings"
)

// topicsOfWord are what words of a slot's attribute are about; several words may tell several
// topics.
var topicsOfWord = func() map[string]string {
	t := map[string]string{}
	for topic, words := range map[string]string{
		"identity":  "name nickname age birthday birth gender nationality ethnicity height hair eyes trait orientation",
		"places":    "residence origin housing household places",
		"work":      "job employer employment work volunteering business boss colleague coworker client",
		"education": "study school degree classmate teacher student",
		"family": "relative relatives partner marital family love wife husband girlfriend boyfriend fiance fiancee spouse child children son daughter mother father parent parents " +
			"sister brother sibling grandmother grandfather grandparent grandchild uncle aunt cousin nephew niece",
		"friends":       "friend roommate neighbor",
		"pets":          "pet pets",
		"health":        "condition allergy medication health pregnancy weight smoking fear",
		"food":          "diet food drink dish meal cuisine dessert snack fruit vegetable restaurant coffee tea",
		"entertainment": "movie film show series book author song music band singer artist game",
		"leisure":       "hobby plays sport sports team activity membership",
		"possessions":   "owns car vehicle drives",
		"technology":    "uses tool editor os",
		"languages":     "language",
		"skills":        "skill",
		"habits":        "habit does",
		"tastes":        "likes favorite fan opinion",
		"plans":         "goal plan",
		"events":        "event",
		"projects":      "project",
		"religion":      "religion",
		"politics":      "politics",
		"assistant":     "answer instruction",
	} {
		for w := range strings.FieldsSeq(words) {
			t[w] = topic
		}
	}
	return t
}()

// topicOfType is what a memory is about whose slot tells nothing.
var topicOfType = map[string]string{
	"identity": "identity", "relationship": "people", "preference": "tastes", "skill": "skills", "goal": "plans", "instruction": "assistant",
	"environment": "technology", "project": "projects", "context": "events", "fact": "life", "custom": "life",
}

// Topics are tags for what a memory is about, sorted: by its slot, else by its type, and by why it
// is sensitive. They are the same in all languages.
func Topics(typ, attribute, sensitive string) []string {
	topics := topicsOfSlot(attribute)
	if len(topics) == 0 {
		topics = append(topics, topicOfType[typ])
	}
	if sensitive != "" {
		topics = append(topics, sensitive)
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}

// topicsOfSlot reads the words of an attribute: "relative.sister" is about the sister,
// "favorite.movie" about both words, all others are about their first word that tells something.
func topicsOfSlot(attribute string) (topics []string) {
	for word := range strings.FieldsFuncSeq(attribute, func(c rune) bool { return c == '.' || c == '_' }) {
		topic := topicsOfWord[word]
		switch {
		case topic == "" || word == "event" && strings.ContainsAny(attribute, "._"):
		case word == "favorite" || word == "relative":
			topics = append(topics, topic)
		case len(topics) > 0 && topics[0] == topicsOfWord["relative"]:
			return []string{topic}
		default:
			return append(topics, topic)
		}
	}
	return topics
}

package llm

import "math"

// doubts are reasons to believe a memory less. Each was a reject before: on recorded answers
// (tools/llmreplay), what these rejects held back was as often approved as what passed.
type doubts uint8

const (
	misplaced  doubts = 1 << iota // the quote is from another turn than the one that was named
	partial                       // a part of the quote was found
	inDraft                       // the quote is from a text about the person that they want improved
	inHanded                      // the quote is from another text that the person wants worked on
	unsaidName                    // a name in the content was not said in the same words
	passes                        // it does not last
)

// Confidence of a memory by what the model says of its own.
var confidences = map[string]float64{"high": 0.8, "medium": 0.6, "": 0.6, "low": 0.4}

// costs is how much less a memory is believed for each doubt. No memory is active by a text alone
// that somebody else may have written.
var costs = []struct {
	doubts
	cost float64
}{{misplaced, .15}, {partial, .15}, {unsaidName, .15}, {passes, .15}, {inDraft, .25}, {inHanded, .4}}

// minConfidence is the least that makes a candidate.
const minConfidence = 0.2

// lower gives a confidence with doubts, in hundredths.
func (d doubts) lower(confidence float64) float64 {
	for _, c := range costs {
		if d&c.doubts != 0 {
			confidence -= c.cost
		}
	}
	return math.Round(confidence*100) / 100
}

package llm

import "math/bits"

// doubts are reasons to believe a memory less. Each was a reject before: on recorded answers (tools/llmreplay), what these
// rejects held back was as often approved as what passed.
type doubts uint8

const (
	misplaced  doubts = 1 << iota // the quote is from another turn than the one that was named
	partial                       // a part of the quote was found
	inDraft                       // the quote is from a text that the person wants worked on
	unsaidName                    // a name in the content was not said in the same words
	passes                        // it does not last
)

// Confidence of a memory by what the model says of its own.
var confidences = map[string]float64{"high": 0.8, "medium": 0.6, "": 0.6, "low": 0.4}

const (
	// doubtCost is how much less a memory is believed for each doubt.
	doubtCost = 0.15
	// draftCost is how much less it is believed when a draft is all that says it. No memory is active by a draft alone.
	draftCost = 0.4
	// minConfidence is the least that makes a candidate.
	minConfidence = 0.2
)

// lower gives a confidence with doubts, in hundredths.
func (d doubts) lower(confidence float64) float64 {
	cost := doubtCost * float64(bits.OnesCount8(uint8(d&^inDraft)))
	if d&inDraft != 0 {
		cost += draftCost
	}
	return float64(int(100*(confidence-cost)+0.5)) / 100
}

package llm

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/extract"
)

const (
	// maxChunk is how many tokens of turns go into one request when the context has room for them.
	maxChunk = 6000
	// minChunk is the least room for turns that a context must have.
	minChunk = 1000
	// slack is for the marks and tags of a question, and for tokens that were estimated too low.
	slack = 512
)

// fit shares the context between the prompt, the turns and the answer. Without Options.Context
// there is room for all.
func (x *Extractor) fit() error {
	x.chunkSize = maxChunk
	if x.o.Context == 0 {
		x.context = roundUp(int(overhead)+maxChunk+x.o.MaxOutput+slack, 1024)
		return nil
	}
	x.context = x.o.Context
	x.o.MaxOutput = min(x.o.MaxOutput, x.o.Context/4)
	x.chunkSize = min(maxChunk, int64(x.o.Context-x.o.MaxOutput-slack)-overhead)
	if x.chunkSize < minChunk {
		least := roundUp((int(overhead)+minChunk+slack)*4/3+1, 1024)
		return fmt.Errorf("a context of %d tokens holds no question beside the prompt and the answer; set llm.context to %d or more, "+
			"and give the server as much", x.o.Context, least)
	}
	return nil
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// errWindow is wrapped when a server has read less than it was sent.
var errWindow = errors.New("the server cut the question to fit its context")

const (
	// windowStep is what sizes of contexts are multiples of, and leastWindow the smallest that
	// servers have.
	windowStep  = 1024
	leastWindow = 2048
	// fewCounted is below what a server may have counted only what it had not read before.
	fewCounted = 64
)

// checkWindow compares the tokens that a server counted in a question with those that it must have.
// Some servers leave the middle of a long question out and say nothing (Ollama's copy of OpenAI's
// API has 4,096 tokens on most machines).
//
// The error, an *extract.AskError, tells what to set. likely tells of a count that looks like the
// end of a context, when the question may have been longer: its halves are to be asked instead.
func (x *Extractor) checkWindow(counted int64, text string) (likely bool, err error) {
	sent := fewestTokens(text)
	if counted >= leastWindow/2 {
		sent += fewestTokens(system) // a smaller count may leave out the prompt, which is the same each time
	}
	if counted >= fewCounted && counted < sent {
		return false, &extract.AskError{
			Err:       fmt.Errorf("ask model: %w: it read %d tokens of at least %d", errWindow, counted, sent),
			Permanent: true,
			Hint: fmt.Sprintf("Give the server a context of %d tokens (Ollama: set llm.api to ollama, or OLLAMA_CONTEXT_LENGTH; llama.cpp: --ctx-size; "+
				"vLLM: --max-model-len), or set llm.context to the context that it has. Then run again.", x.context),
		}
	}
	return counted >= leastWindow && counted%windowStep == 0 && counted < tokens(text)+overhead, nil
}

package pipeline

import (
	"context"
	"iter"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/providers"
)

type panicking struct{ providers.Importer }

func (p panicking) Split(context.Context, providers.Claim, providers.Limits) iter.Seq2[providers.Unit, error] {
	return func(func(providers.Unit, error) bool) { panic("a fault in an importer") }
}

func TestPanicWhileCuttingIsAFailureOfItsUnit(t *testing.T) {
	d := testDeps(t)
	imp, err := providers.Default().ByName("chatgpt")
	if err != nil {
		t.Fatal(err)
	}
	d.Registry = providers.NewRegistry(panicking{imp})
	_, err = runStages(t, d, zipOf(t, map[string]string{"conversations.json": twoConversations}))
	if err == nil || fault.Of(err) != fault.Unit {
		t.Errorf("error %v", err)
	}
}

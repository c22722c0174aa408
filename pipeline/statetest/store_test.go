package statetest_test

import (
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
	"github.com/pamline/pamline/pipeline/statetest"
)

func TestStoreKeepsTheContractOfStores(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: the view of a store keeps it, too")
	}
	blobtest.Run(t, func(*testing.T) blob.Store { return statetest.New() })
}

func TestViewKeepsTheContractOfStores(t *testing.T) {
	blobtest.Run(t, func(*testing.T) blob.Store { return statetest.New().View(nil, nil) })
}

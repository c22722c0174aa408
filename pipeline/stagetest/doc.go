// Package stagetest has what the tests of the stages share: made-up exports, an importer of a
// format of its own, a store that reports changes of immutable objects, and a Rig that takes drops
// through the stages over one store, as workers do, without a queue.
package stagetest

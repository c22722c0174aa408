// Package state says what lies in storage, where, and in which form: the keys of the layout, small
// JSON objects and how they are swapped, packs and their lists, the manifest and the receipt of an
// import, the record of a drop, the head of a store and the input set that it names. It decides
// nothing; who writes an object, and when, is for the stages and the worker.
package state

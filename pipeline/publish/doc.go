// Package publish computes the store of an input set and publishes it as an export, if it says
// anything new. The store is a function of the input set: every object that the set names is
// immutable. Who swaps the head, and when, is for the caller.
package publish

// Package near tells whether two short statements say the same in nearly the same words.
//
// Statements that may be alike are found without comparing each with each: texts by MinHash
// ([Text.Bands]), vectors of a model by the side of random planes on which they lie ([Sign]). Both
// only propose; [Text.Alike] and [Cosine] decide. All seeds are constants, and sums are made in a
// fixed order without fused operations, so every machine gives the same answer.
package near

// MinJaccard is the share of three-letter pieces that two texts must have in common to be
// near-duplicates.
const MinJaccard = 0.9

// MinCosine is the cosine from which vectors are near-duplicates.
const MinCosine = 0.92

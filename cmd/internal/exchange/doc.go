// Package exchange merges bundles and makes deltas of them: the stores through package pamio, and
// beside them the embeddings, conversation files and assets that belong to the result.
package exchange

// Package normalize holds what every importer needs: times and ids that lose nothing, roles, the
// linking of a message graph, and the division of a source value into what has a field in the
// document and the residual that has none, with its inverse.
package normalize

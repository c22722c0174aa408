// Package fault stands between a client and a server on loopback and lets things go wrong: [HTTP]
// for single requests, by kind ([Fault]), [Link] for whole TCP connections. What goes wrong is said
// by the caller; nothing here is left to chance.
package fault

// Package fault says what becomes of failed work. An error has a class, and a hint for the person
// who can do something about it: an Outage of storage or of the queue waits and is no attempt, a
// failure of the Unit itself is tried again, and a Permanent one is not. Errors that quote a
// person's words say what a log may hold of them (LogTexter).
package fault

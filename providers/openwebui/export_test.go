package openwebui

// Dialect is for tests that divide rows of a database and put them together again.
var Dialect = dialect

package ollama

// Schema is for tests that divide rows of a database and put them together again.
var Schema = schema

// Package sqlite reads a SQLite database that is a member of an archive. The file is hostile until
// read: it is copied into a scratch folder, opened so that nothing in it can run or write, and its
// tables are read row by row as JSON objects.
//
//	db, err := sqlite.Open(ctx, member, wal, limits)
//	defer db.Close()
//	for row, err := range db.Rows(ctx, "chat") {
//		text, err := db.Object(ctx, row, "chat")   // {"id":"…","title":"…","chat":{…}}
//	}
//
// Only real tables and stored columns are seen: no views, no virtual tables, no generated columns.
// A database that is open in its application has its newest changes in a file beside it, "-wal",
// which is read with it. The other files that SQLite puts beside a database, "-shm" and "-journal",
// are not: the first is an index that is made anew, and the second may name files elsewhere that
// SQLite would look at and remove.
//
// Values: NULL is null; integers and reals are numbers with the shortest lexeme that gives the
// value back, a real always with a point or an exponent; text is a string, byte for byte, even
// where it is not UTF-8; a blob is {"$blob":"base64"}; an infinity is {"$real":"Infinity"}. Text of
// a column that is asked for as JSON stands as the value it is.
package sqlite

package sqlite

// Prepared is how many statements are kept.
func (d *DB) Prepared() int { return len(d.stmts) }

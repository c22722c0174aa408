package validate

// transitions are the changes of status that the lifecycle has (PAM §7.1).
var transitions = map[[2]string]bool{
	{"active", "superseded"}:    true,
	{"active", "deprecated"}:    true,
	{"active", "retracted"}:     true,
	{"active", "archived"}:      true,
	{"superseded", "archived"}:  true,
	{"deprecated", "retracted"}: true,
	{"deprecated", "archived"}:  true,
}

// compare holds a memory against the one of the base that it replaces. A way back to active is no
// step of the lifecycle, but §16.3 speaks of undoing, and what somebody says again holds again: it
// passes when the memory says that it changed later.
func (j *joins) compare(now known, status string, timed bool, changed int64) {
	older := timed && now.timed && now.changed < changed
	newer := timed && now.timed && now.changed > changed
	at := placeOf(j.file, "memories", now.index, "")
	if j.incremental && j.wrong(incrementalOlder, older) {
		j.find(incrementalOlder, at, "the memory changed last before the one of the base that it replaces; a merge would go back in time")
	}
	undone := now.status == "active" && newer
	if j.wrong(lifecycleTransition, status != now.status && !transitions[[2]string{status, now.status}] && !undone) {
		at.pointer += "/status"
		j.find(lifecycleTransition, at, "the status goes from %s in the base to %s, which is no step of the lifecycle", token(status), token(now.status))
	}
}

package chatgpt

import (
	"path"

	"github.com/pamline/pamline/archive"
)

// account is whose export a user.json belongs to, by the part of the drop and the folder that it
// lies in.
type account struct {
	part   int
	folder string
	id     string
}

// accountOf is the account of the conversations in a member: that of its folder or of the nearest
// above, else the only one of its part, else the only one of the drop. Exports of several people
// can come together; nobody gets another's name.
func (j *joined) accountOf(m archive.Member) string {
	if len(j.accounts) == 0 {
		return ""
	}
	for folder := path.Dir(m.Name); ; folder = path.Dir(folder) {
		if id := j.onlyAccount(func(a account) bool { return a.part == m.Part && a.folder == folder }); id != "" {
			return id
		}
		if folder == path.Dir(folder) {
			break
		}
	}
	here := func(a account) bool { return a.part == m.Part }
	for _, a := range j.accounts {
		if here(a) {
			return j.onlyAccount(here)
		}
	}
	return j.onlyAccount(func(account) bool { return true })
}

// onlyAccount is the one id of the accounts that fit, "" when there is none or more than one.
func (j *joined) onlyAccount(fits func(account) bool) string {
	only := ""
	for _, a := range j.accounts {
		switch {
		case !fits(a) || a.id == only:
		case only != "":
			return ""
		default:
			only = a.id
		}
	}
	return only
}

package normalize

import "testing"

func TestUnknownRolesAreNeverThePersons(t *testing.T) {
	for role, want := range map[string]string{"user": "user", "human": "user", "assistant": "assistant", "function": "tool", "developer": "system", "critic": "system", "": "system", "User": "system"} {
		if got, _ := Role(role); got != want {
			t.Errorf("%q becomes %s, want %s", role, got, want)
		}
	}
}

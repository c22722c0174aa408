package normalize

// The roles of a document (PAM §25.3).
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
	RoleTool      = "tool"
)

// Roles lists them in the order in which participants are written.
var Roles = []string{RoleUser, RoleAssistant, RoleSystem, RoleTool}

var roles = map[string]string{
	"user":      RoleUser,
	"assistant": RoleAssistant,
	"system":    RoleSystem,
	"tool":      RoleTool,
	"human":     RoleUser,
	"ai":        RoleAssistant,
	"model":     RoleAssistant,
	"function":  RoleTool,
	"developer": RoleSystem,
}

// Role maps a provider's role. known is false for one that nobody has described: it becomes system,
// which is never taken for something the person said.
func Role(original string) (role string, known bool) {
	if r, ok := roles[original]; ok {
		return r, true
	}
	return RoleSystem, false
}

// KnownRole is Role for a text that is still bytes.
func KnownRole(original []byte) (role string, ok bool) {
	role, ok = roles[string(original)]
	return role, ok
}

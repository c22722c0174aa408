package segment

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/extract"
)

// programTags are the elements that programs put into a person's message: agent tools, editors,
// memory layers.
var programTags = func() map[string]bool {
	t := map[string]bool{}
	for _, name := range strings.Fields(`
		system-reminder system_reminder system system_prompt system-prompt environment_context environment_details environment
		user_instructions instructions user_info user-info rules project_context workspace_info
		command-name command-message command-args command-contents local-command-stdout local-command-stderr local-command-caveat
		bash-input bash-stdout bash-stderr user-prompt-submit-hook session-start-hook
		tool tool_use tool_call tool_result tool_results tool_output tool-output function_calls function_call function_results function_result
		results stdout stderr output ide_opened_file ide_selection ide_diagnostics open_and_recently_viewed_files attached_files
		additional_data file_contents file_content file document documents document_contents context search_results webpage web_page
		task-notification memory memories user_memory user_memories relevant_memories relevant-memories supermemory-context recalled_memories
		available_skills skill_content turn_aborted subagent_notification permissions apps_instructions collaboration_mode`) {
		t[name] = true
	}
	return t
}()

// foreign are the ranges that are not the person's writing: the opaque ones, what programs put in
// between tags, and the middle of a huge message. In order, and apart from each other.
func foreign(text string, opaque []extract.Span) []Segment {
	var out []Segment
	for _, o := range opaque {
		if start, end := max(o.Start, 0), min(o.End, len(text)); start < end {
			out = append(out, Segment{Code, start, end})
		}
	}
	from, to := middleRange(text)
	if from < to {
		out = append(out, Segment{Pasted, from, to})
	}
	out = append(out, findInjected(text, from, to)...)
	if len(out) < 2 {
		return out
	}
	slices.SortFunc(out, func(a, b Segment) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	apart := out[:0]
	at := 0
	for _, s := range out {
		if s.Start = max(s.Start, at); s.Start < s.End {
			apart = append(apart, s)
			at = s.End
		}
	}
	return apart
}

// findInjected finds elements of programTags. One that is not closed goes on to the end, if it
// opens a line and its name is no plain word. What begins between from and to is not looked at.
func findInjected(text string, from, to int) []Segment {
	var out []Segment
	// Of a name that is opened again and again and never closed, the rest of the text is searched
	// once.
	unclosed := map[string]bool{}
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			return out
		}
		start := at + i
		if from <= start && start < to {
			at = to
			continue
		}
		at = start + 1
		name, body := openTag(text, start)
		if !programTags[name] {
			continue
		}
		if !unclosed[name] {
			if end := closeTag(text, body, name); end > 0 {
				out = append(out, Segment{Injected, start, end})
				at = end
				continue
			}
			unclosed[name] = true
		}
		if strings.ContainsAny(name, "-_") && (start == 0 || text[start-1] == '\n') {
			return append(out, Segment{Injected, start, len(text)})
		}
	}
}

// openTag reads the name of a start tag, and where it ends; "" when there is none.
func openTag(text string, at int) (name string, end int) {
	end = at + 1
	for end < len(text) && end-at < 64 && (byteClass[text[end]]&(isLetter|isDigit) != 0 || text[end] == '-' || text[end] == '_') {
		end++
	}
	name = text[at+1 : end]
	if end < len(text) && text[end] == ' ' { // attributes
		limit := min(len(text), end+400)
		i := strings.IndexByte(text[end:limit], '>')
		if i < 0 {
			return "", at
		}
		end += i
	}
	if end >= len(text) || text[end] != '>' {
		return "", at
	}
	return strings.ToLower(name), end + 1
}

// closeTag is where the end tag of a name ends, 0 when there is none.
func closeTag(text string, at int, name string) int {
	for {
		i := strings.Index(text[at:], "</")
		if i < 0 {
			return 0
		}
		at += i + 2
		end := at + len(name)
		if end < len(text) && text[end] == '>' && strings.EqualFold(text[at:end], name) {
			return end + 1
		}
	}
}

package providers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/providers/aider"
	"github.com/pamline/pamline/providers/aistudio"
	"github.com/pamline/pamline/providers/anythingllm"
	"github.com/pamline/pamline/providers/apertomemory"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/claude"
	"github.com/pamline/pamline/providers/claudecode"
	"github.com/pamline/pamline/providers/claudememory"
	"github.com/pamline/pamline/providers/codex"
	"github.com/pamline/pamline/providers/copilot"
	"github.com/pamline/pamline/providers/copilotchat"
	"github.com/pamline/pamline/providers/cursor"
	"github.com/pamline/pamline/providers/deepseek"
	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/geminicli"
	"github.com/pamline/pamline/providers/geminiworkspace"
	"github.com/pamline/pamline/providers/gpt4all"
	"github.com/pamline/pamline/providers/grok"
	"github.com/pamline/pamline/providers/huggingchat"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/jan"
	"github.com/pamline/pamline/providers/librechat"
	"github.com/pamline/pamline/providers/lmstudio"
	"github.com/pamline/pamline/providers/manual"
	"github.com/pamline/pamline/providers/memorylist"
	"github.com/pamline/pamline/providers/memstores"
	"github.com/pamline/pamline/providers/mif"
	"github.com/pamline/pamline/providers/mistral"
	"github.com/pamline/pamline/providers/ollama"
	"github.com/pamline/pamline/providers/opencode"
	"github.com/pamline/pamline/providers/openwebui"
	"github.com/pamline/pamline/providers/pam"
	"github.com/pamline/pamline/providers/perplexity"
	"github.com/pamline/pamline/providers/portablemem"
	"github.com/pamline/pamline/providers/qwen"
	"github.com/pamline/pamline/providers/sillytavern"
	"github.com/pamline/pamline/providers/textgen"
	"github.com/pamline/pamline/providers/zed"
)

// Registry knows importers by name and version.
type Registry struct {
	importers []Importer // in the order in which they claim; newest version of a name first
}

// NewRegistry makes a registry. Of several versions of a name, the newest is the default: versions
// are compared as text, which their form "name-importer/YYYY.MM" allows.
func NewRegistry(importers ...Importer) *Registry {
	r := &Registry{importers: slices.Clone(importers)}
	slices.SortStableFunc(r.importers, func(a, b Importer) int {
		if a.Name() != b.Name() {
			return 0
		}
		return strings.Compare(b.Version(), a.Version())
	})
	return r
}

// Default is the registry of all importers that pamline has, in the order in which they are asked.
// Of two formats that look alike the one with the narrower marks comes first:
//
//   - Portable Memory, MIF and PAM first: their documents say what they are, and the first two may
//     hold PAM in them;
//   - DeepSeek before ChatGPT: both have a mapping of nodes;
//   - Qwen before Open WebUI: the same skeleton, but the text is in content_list;
//   - Grok before Perplexity: both wrap a list called conversations; each asks for its own fields
//     in the elements;
//   - programs on the person's machine late: their marks are the least peculiar;
//   - lists and folders of memories last: what an assistant exports of itself says more.
func Default() *Registry {
	return NewRegistry(slices.Concat(
		[]Importer{portablemem.New(), mif.New(), pam.New(), deepseek.New()},
		chatgpt.Versions(),
		[]Importer{
			claude.New(), grok.New(), perplexity.New(), copilot.New(), mistral.New(),
		},
		gemini.Versions(),
		[]Importer{
			geminiworkspace.New(), aistudio.New(),
			qwen.New(), openwebui.New(), ollama.New(), anythingllm.New(),
			lmstudio.New(), librechat.New(), jan.New(), huggingchat.New(), textgen.New(), sillytavern.New(), gpt4all.New(),
		},
		[]Importer{geminicli.New(), copilotchat.New(), aider.New(), cursor.New(), opencode.New(), zed.New()},
		claudecode.Versions(),
		codex.Versions(),
		memstores.New(),
		[]Importer{apertomemory.New(), claudememory.New(), memorylist.New(), manual.New()})...)
}

// Versions lists the versions of all importers by name, the newest of each first.
func (r *Registry) Versions() []string {
	sorted := slices.Clone(r.importers)
	slices.SortStableFunc(sorted, func(a, b Importer) int { return strings.Compare(a.Name(), b.Name()) })
	out := make([]string, len(sorted))
	for i, imp := range sorted {
		out[i] = imp.Version()
	}
	return out
}

// Names lists the importers' names once each, sorted.
func (r *Registry) Names() []string {
	var out []string
	for _, i := range r.importers {
		out = append(out, i.Name())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ByName is the newest importer of a provider, for example to restore documents that say where they
// came from.
func (r *Registry) ByName(name string) (Importer, error) {
	name, source, hasSource := strings.Cut(name, importer.SourceMark)
	for _, i := range r.importers {
		if i.Name() == name {
			return ofSource(i, source, hasSource)
		}
	}
	return nil, fmt.Errorf("find importer %q: there is none; known providers: %s", name, strings.Join(r.Names(), ", "))
}

// ByVersion is one exact importer version, as "chatgpt-importer/2026.07".
func (r *Registry) ByVersion(version string) (Importer, error) {
	version, source, hasSource := strings.Cut(version, importer.SourceMark)
	for _, i := range r.importers {
		if i.Version() == version {
			return ofSource(i, source, hasSource)
		}
	}
	return nil, fmt.Errorf("find importer version %q: there is none; known versions: %s", version, strings.Join(r.Versions(), ", "))
}

// Asked lists the versions of the importers that a detection with this pin asks, in the order in
// which it does.
func (r *Registry) Asked(pin string) ([]string, error) {
	active, err := r.active(pin)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(active))
	for i, imp := range active {
		out[i] = imp.Version()
	}
	return out, nil
}

// active lists the importers that may claim: the newest version of each name, or the pinned one
// alone.
func (r *Registry) active(pin string) ([]Importer, error) {
	if pin != "" {
		plain, source, hasSource := strings.Cut(pin, importer.SourceMark)
		pinned, err := r.ByVersion(plain)
		if err != nil {
			if pinned, err = r.ByName(plain); err != nil {
				return nil, fmt.Errorf("select importer %q: neither a version nor a provider; known versions: %s", pin, strings.Join(r.Versions(), ", "))
			}
		}
		pinned, err = ofSource(pinned, source, hasSource)
		return []Importer{pinned}, err
	}
	var out []Importer
	seen := map[string]bool{}
	for _, i := range r.importers {
		if _, only := i.(importer.OnlyNamed); !only && !seen[i.Name()] {
			seen[i.Name()] = true
			out = append(out, i)
		}
	}
	return out, nil
}

package main

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/assemble"
)

// editAccess are the flags that say who may see a memory (PAM §9).
type editAccess struct {
	Visibility string   `enum:",private,shared,public" default:"" placeholder:"private|shared|public" help:"Who may see the memory: only you, those with a grant, or everybody."`
	Exportable string   `enum:",yes,no,true,false" default:"" placeholder:"yes|no" help:"no: leave the memory out of bundles, exports and deltas."`
	Grant      []string `placeholder:"ENTITY=PERMISSIONS" sep:"none" help:"Let a person or program (a DID or a name) read, write or delete the memory while it is shared: ENTITY=read,write. Without permissions: read. May be repeated."`
	Revoke     []string `placeholder:"ENTITY" sep:"none" help:"Revoke the grant of ENTITY. May be repeated."`
}

// edit is what the flags say; nil for nothing.
func (a editAccess) edit() (*assemble.AccessEdit, error) {
	out := &assemble.AccessEdit{Visibility: a.Visibility, Grants: map[string][]string{}}
	if a.Exportable != "" {
		yes := a.Exportable == "yes" || a.Exportable == "true"
		out.Exportable = &yes
	}
	for _, grant := range a.Grant {
		entity, permissions := grant, "read"
		if i := strings.LastIndexByte(grant, '='); i >= 0 {
			entity, permissions = grant[:i], grant[i+1:]
		}
		out.Grants[entity] = strings.Split(permissions, ",")
	}
	for _, entity := range a.Revoke {
		if out.Grants[entity] != nil {
			return nil, fmt.Errorf("edit: --grant and --revoke name %q", entity)
		}
		out.Grants[entity] = []string{}
	}
	if out.Visibility == "" && out.Exportable == nil && len(out.Grants) == 0 {
		return nil, nil //nolint:nilnil // nothing is an answer
	}
	if err := out.Check(); err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	return out, nil
}

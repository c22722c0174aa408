package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/edit"
	"github.com/pamline/pamline/pipeline/state"
)

type editCommand struct {
	Data       string `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Owner      string `placeholder:"ID" type:"owner" help:"Whose store to change. Default: the only owner of the data folder."`
	Retract    bool   `help:"Mark the memory as wrong or outdated. It becomes active again if you say it again later."`
	Archive    bool   `help:"Archive the memory. Only another edit makes it active again."`
	Confirm    bool   `help:"Confirm the memory, even if other statements contradict it."`
	Undo       bool   `help:"Undo the last manual change of the memory. Repeat it to undo the one before."`
	Replace    string `placeholder:"TEXT" help:"Replace the memory with one that has this text."`
	Add        string `placeholder:"TEXT" help:"Add a memory with this text. Needs --type."`
	Type       string `placeholder:"TYPE" help:"Type of the new memory: fact, preference, skill, context, relationship, goal, instruction, identity, environment, project, custom."`
	CustomType string `placeholder:"NAME" help:"Name of the type, with --type custom."`
	editAccess
	Memory string `arg:"" optional:"" help:"Id of a memory, or its first characters. pamline inspect --memories lists them."`
	settings
	format
}

func (editCommand) Help() string {
	return "Changes a memory by hand. The change is recorded beside the imports, and later imports keep it. If pamline up is running on the\n" +
		"data folder, the change goes through that service.\n\n" +
		"Examples:\n  pamline edit --retract 4f2a90c1\n  pamline edit --replace \"Lives in Lisbon.\" 4f2a90c1\n  pamline edit --undo 4f2a90c1\n  pamline edit --add \"Plays the cello.\" --type skill\n" +
		"  pamline edit --exportable no 4f2a90c1\n  pamline edit --visibility shared --grant did:web:anna.example=read,write 4f2a90c1"
}

// change is what the flags ask for.
func (c *editCommand) change() (assemble.Edit, error) {
	access, err := c.edit()
	if err != nil {
		return assemble.Edit{}, err
	}
	e := assemble.Edit{Access: access, Memory: c.Memory, Type: c.Type, CustomType: c.CustomType, Content: cmp.Or(c.Replace, c.Add)}
	asked := 0
	for action, yes := range map[string]bool{
		assemble.EditRetract: c.Retract, assemble.EditArchive: c.Archive, assemble.EditConfirm: c.Confirm,
		assemble.EditReplace: c.Replace != "", assemble.EditAdd: c.Add != "", assemble.EditUndo: c.Undo,
	} {
		if yes {
			asked++
			e.Action = action
		}
	}
	if asked == 0 && access != nil {
		asked, e.Action = 1, assemble.EditAccess
	}
	switch {
	case asked != 1:
		return e, errors.New("edit: give one of --retract, --archive, --confirm, --replace, --add and --undo, or of --visibility, --exportable, --grant and --revoke")
	case access != nil && e.Action != assemble.EditAccess && e.Content == "":
		return e, errors.New("edit: set the access of a memory in an edit of its own")
	case (e.Action == assemble.EditAdd) != (e.Memory == ""):
		return e, errors.New("edit: give the id of a memory, or --add without an id")
	case e.Action == assemble.EditAdd && e.Type == "":
		return e, errors.New("edit: --add needs --type, for example --type fact")
	case e.Content == "" && (e.Type != "" || e.CustomType != ""):
		return e, errors.New("edit: --type belongs to --add and --replace")
	case e.Content != "" && e.Type != "" && !assemble.IsType(e.Type):
		return e, fmt.Errorf("edit: there is no type %q", e.Type)
	case (e.Type == "custom") != (e.CustomType != ""):
		return e, errors.New("edit: --type custom and --custom-type belong together")
	}
	return e, nil
}

func (c *editCommand) Run(a *app) (err error) {
	e, err := c.change()
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner})
	if err != nil {
		return err
	}
	if err := requireStore(loaded); err != nil {
		return err
	}
	owner, err := storeOwner(loaded)
	if err != nil {
		return err
	}
	if e.Action == assemble.EditUndo {
		if e, err = lastEdit(a, loaded, owner, e.Memory); err != nil {
			return err
		}
	}
	e.ID, e.At = uuid.NewString(), pamio.FormatTime(time.Now())
	report := &edited{}
	if report.StoreChange, err = c.apply(a, loaded, owner, e); err != nil {
		return err
	}
	data, err := datadir.Find(loaded.Data)
	if err != nil {
		return err
	}
	err = withStore(a, loaded, func(s blob.Store) (err error) {
		report.Copies, err = a.refreshShown(s, data, owner)
		return err
	})
	return errors.Join(c.print(a, report), err)
}

// lastEdit is what undoes the last change of a memory.
func lastEdit(a *app, loaded *config.Config, owner, memory string) (undo assemble.Edit, err error) {
	err = withStore(a, loaded, func(s blob.Store) error {
		list, err := edit.List(a.ctx, s, owner, 0)
		if err != nil {
			return err
		}
		last, err := edit.LastOf(list, memory)
		undo = edit.Undo(last)
		return err
	})
	return undo, err
}

// apply records the change and publishes the store.
func (c *editCommand) apply(a *app, loaded *config.Config, owner string, e assemble.Edit) (change state.StoreChange, err error) {
	s, err := openSession(a, loaded, sessionOptions{oneOwner: true})
	if err != nil {
		return change, err
	}
	applied, err := edit.Apply(s.ctx, s.store, s, owner, e)
	return applied.StoreChange, errors.Join(err, s.Close())
}

type edited struct {
	state.StoreChange
	// Copies are the bundles that imports wrote with --out.
	Copies []copyReport `json:"copies,omitempty"`
}

func (e *edited) WriteText(w io.Writer) error {
	p := printTo(w)
	switch {
	case !e.Published:
		p.line("The change is recorded. It makes no difference to the store.")
	default:
		p.line("The change is recorded and published.")
	}
	if c := e.Changes; c != nil {
		if c.Added > 0 {
			p.field("added", "%d", c.Added)
		}
		for _, one := range firstItems(c.Listed, 10) {
			if one.From != one.To {
				p.field(cmp.Or(one.To, "removed"), "%s (was %s)", one.Memory, one.From)
			}
		}
	}
	p.field("store", "export %s", e.ExportID)
	for _, one := range e.Copies {
		p.field("bundle", "%s", one.text())
	}
	return p.err
}

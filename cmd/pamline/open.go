package main

import (
	"errors"
	"os"
	"os/exec"
	"runtime"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/config"
)

type openCommand struct {
	Data       string `placeholder:"DIR" type:"path" help:"Folder for state and store. Default: the user data folder."`
	Owner      string `placeholder:"ID" type:"owner" help:"Whose store to show. Default: the only owner of the data folder, else a generated id."`
	Operations bool   `help:"Show the work of all owners: queues, imports, failures. No conversations or memories are shown."`
	NoBrowser  bool   `help:"Print the address only; do not open a browser."`
	settings
}

func (openCommand) Help() string {
	return "Opens your store as a web page: read conversations, search, review and correct memories, import by dropping a file. The page is\n" +
		"on this machine only, and the address that is printed works once. Ctrl-C closes the page. If pamline up is running on the data\n" +
		"folder, it serves the page, and this command ends at once.\n\n" +
		"Examples:\n  pamline open\n  pamline open --no-browser --owner me\n  pamline open --operations"
}

func (c *openCommand) Run(a *app) error {
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner})
	if err != nil {
		return err
	}
	loaded.HTTP.Addr = "127.0.0.1:0"
	err = runService(a, loaded, servicePlan{name: "pamline-open", operations: c.Operations, ready: func(address string) error {
		if err := c.show(a, address); err != nil {
			return err
		}
		a.say("Ctrl-C closes the page")
		return nil
	}})
	if used := (*datadir.InUseError)(nil); errors.As(err, &used) {
		return c.showRunning(a, loaded, err)
	}
	return err
}

// showRunning shows the page of the service that holds the data folder.
func (c *openCommand) showRunning(a *app, loaded *config.Config, inUse error) error {
	owner := ""
	if !c.Operations {
		var err error
		if owner, err = storeOwner(loaded); err != nil {
			return err
		}
	}
	folder, err := datadir.Find(loaded.Data)
	if err != nil {
		return err
	}
	running, err := api.FindService(folder)
	address := ""
	switch {
	case err != nil:
	case c.Operations:
		address, err = running.OpenOperations(a.ctx)
	default:
		address, err = running.OpenPage(a.ctx, owner)
	}
	if errors.Is(err, api.ErrNotRunning) {
		return inUse
	}
	if err != nil {
		return err
	}
	return c.show(a, address)
}

// show prints the address, and opens it in the browser of the person.
func (c *openCommand) show(a *app, address string) error {
	if err := printTo(a.stdout).lineOf(address); err != nil {
		return err
	}
	if c.NoBrowser {
		return nil
	}
	if err := openBrowser(address); err != nil {
		a.say("open this address in a browser")
	}
	return nil
}

// browsers are the commands that open an address, by operating system.
var browsers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}

// openBrowser opens an address in the browser of the person. It does not wait for it.
func openBrowser(address string) error {
	command, ok := browsers[runtime.GOOS]
	if !ok {
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return errors.New("there is no display")
		}
		command = []string{"xdg-open"}
	}
	started := exec.Command(command[0], append(command[1:len(command):len(command)], address)...)
	if err := started.Start(); err != nil {
		return err
	}
	return started.Process.Release()
}

package deploy_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/telemetry"
)

type kustomization struct {
	Resources          []string `json:"resources"`
	Components         []string `json:"components"`
	ConfigMapGenerator []struct {
		Name  string   `json:"name"`
		Files []string `json:"files"`
	} `json:"configMapGenerator"`
	Images []struct {
		Name   string `json:"name"`
		NewTag string `json:"newTag"`
	} `json:"images"`
}

// manifests gives the files that an overlay is made of, and fails for one that is not there.
func manifests(t *testing.T, folder string) (out []string) {
	t.Helper()
	k := decode[kustomization](t, document(t, folder+"/kustomization.yaml"))
	for _, r := range append(k.Resources, k.Components...) {
		at := path.Join(folder, r)
		switch info, err := os.Stat(at); {
		case err != nil:
			t.Errorf("%s: %v", folder, err)
		case info.IsDir():
			out = append(out, manifests(t, at)...)
		default:
			out = append(out, at)
		}
	}
	for _, g := range k.ConfigMapGenerator {
		for _, f := range g.Files {
			if _, err := os.Stat(path.Join(folder, f)); err != nil {
				t.Errorf("%s: %v", folder, err)
			}
		}
	}
	return out
}

func TestEveryManifestBelongsToAnOverlay(t *testing.T) {
	used := map[string]bool{}
	for _, overlay := range []string{"small", "cluster"} {
		for _, m := range manifests(t, "kubernetes/overlays/"+overlay) {
			used[m] = true
		}
	}
	for _, optional := range []string{"llm", "otlp"} { // named in a comment of the overlay cluster
		for _, m := range manifests(t, "kubernetes/components/"+optional) {
			used[m] = true
		}
	}
	for _, f := range files(t, ".yaml") {
		name := filepath.Base(f)
		if strings.HasPrefix(f, "kubernetes/") && name != "kustomization.yaml" && name != "pamline.yaml" && !strings.HasPrefix(f, "kubernetes/nats/") && !used[f] {
			t.Errorf("%s belongs to no overlay", f)
		}
	}
}

// objects are those of a kind in the manifests of the overlay cluster and the optional components.
func objects(t *testing.T, kind string) (out []object) {
	t.Helper()
	all := manifests(t, "kubernetes/overlays/cluster")
	all = append(all, manifests(t, "kubernetes/components/llm")...)
	all = append(all, manifests(t, "kubernetes/components/otlp")...)
	for _, m := range all {
		for _, o := range documents(t, m) {
			if o["kind"] == kind {
				out = append(out, o)
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("there is no %s", kind)
	}
	return out
}

type deployment struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Template struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec struct {
				Automount *bool `json:"automountServiceAccountToken"`
				Links     *bool `json:"enableServiceLinks"`
				Grace     int   `json:"terminationGracePeriodSeconds"`
				Security  struct {
					NonRoot bool `json:"runAsNonRoot"`
					Seccomp struct {
						Type string `json:"type"`
					} `json:"seccompProfile"`
				} `json:"securityContext"`
				Containers []container `json:"containers"`
				Volumes    []struct {
					Name     string `json:"name"`
					EmptyDir *struct {
						SizeLimit string `json:"sizeLimit"`
					} `json:"emptyDir"`
				} `json:"volumes"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

type container struct {
	Command []string `json:"command"`
	Env     []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Ports []struct {
		Name string `json:"name"`
		Port int    `json:"containerPort"`
	} `json:"ports"`
	Security struct {
		Escalation *bool `json:"allowPrivilegeEscalation"`
		ReadOnly   bool  `json:"readOnlyRootFilesystem"`
		Cap        struct {
			Drop []string `json:"drop"`
		} `json:"capabilities"`
	} `json:"securityContext"`
	Mounts []struct {
		Name string `json:"name"`
		Path string `json:"mountPath"`
	} `json:"volumeMounts"`
}

func TestWorkersAreDeployedClosed(t *testing.T) {
	settings := load(t, "kubernetes/overlays/cluster/pamline.yaml")
	var names []string
	for _, o := range objects(t, "Deployment") {
		d := decode[deployment](t, o)
		name, pod := d.Metadata.Name, d.Spec.Template.Spec
		names = append(names, name)
		c := pod.Containers[0]
		if !slices.Equal(c.Command, []string{"/usr/local/bin/" + name}) || d.Spec.Template.Metadata.Labels["app.kubernetes.io/component"] != name {
			t.Errorf("%s runs %v", name, c.Command)
		}
		for what, no := range map[string]*bool{"mounts a token": pod.Automount, "has links to services": pod.Links, "may gain rights": c.Security.Escalation} {
			if no == nil || *no {
				t.Errorf("%s %s", name, what)
			}
		}
		if !pod.Security.NonRoot || pod.Security.Seccomp.Type != "RuntimeDefault" || !c.Security.ReadOnly || !slices.Equal(c.Security.Cap.Drop, []string{"ALL"}) {
			t.Errorf("%s is not closed: %+v, %+v", name, pod.Security, c.Security)
		}
		for _, overlay := range []string{"small", "cluster"} {
			patience(t, name, time.Duration(pod.Grace)*time.Second, "kubernetes/overlays/"+overlay+"/pamline.yaml")
		}
		if at := fmt.Sprintf("0.0.0.0:%d", c.Ports[0].Port); at != settings.HTTP.Addr || c.Ports[0].Name != "http" {
			t.Errorf("%s is asked at %s and listens at %s", name, at, settings.HTTP.Addr)
		}
		for _, v := range pod.Volumes {
			if v.EmptyDir == nil {
				continue
			}
			var gib int64
			if _, err := fmt.Sscanf(v.EmptyDir.SizeLimit, "%dGi", &gib); err != nil {
				t.Fatalf("%s: %s: %v", name, v.EmptyDir.SizeLimit, err)
			}
			if name == telemetry.StageIngest && gib<<30 <= int64(settings.Limits.MaxScratch) {
				t.Errorf("%s may spool %s into %d GiB", name, settings.Limits.MaxScratch, gib)
			}
		}
		// Files that the settings name lie in a mounted folder.
		raw := read(t, "kubernetes/overlays/cluster/pamline.yaml")
		for _, line := range secretPath.FindAllString(raw, -1) {
			_, file, _ := strings.Cut(line, ": ")
			if !slices.ContainsFunc(c.Mounts, func(m struct {
				Name string `json:"name"`
				Path string `json:"mountPath"`
			}) bool {
				return path.Dir(file) == m.Path
			}) {
				t.Errorf("%s: nothing is mounted for %s", name, file)
			}
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{telemetry.StageAssemble, telemetry.StageExtract, telemetry.StageIngest}) {
		t.Errorf("the Deployments are %v", names)
	}
}

func TestEachWorkerMayBeMovedOneAtATime(t *testing.T) {
	var names []string
	for _, o := range objects(t, "PodDisruptionBudget") {
		names = append(names, at(o, "spec", "selector", "matchLabels", "app.kubernetes.io/component").(string))
		if at(o, "spec", "maxUnavailable") != 1 {
			t.Errorf("%v", o)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{telemetry.StageAssemble, telemetry.StageExtract, telemetry.StageIngest}) {
		t.Errorf("budgets for %v", names)
	}
}

func TestOverlaysPinTheImage(t *testing.T) {
	for _, overlay := range []string{"small", "cluster"} {
		k := decode[kustomization](t, document(t, "kubernetes/overlays/"+overlay+"/kustomization.yaml"))
		if len(k.Images) != 1 || k.Images[0].Name != "pamline" || k.Images[0].NewTag == "" || k.Images[0].NewTag == "latest" {
			t.Errorf("%s: %+v", overlay, k.Images)
		}
		if len(k.ConfigMapGenerator) != 1 || k.ConfigMapGenerator[0].Name != "pamline" {
			t.Errorf("%s makes no settings: %+v", overlay, k.ConfigMapGenerator)
		}
	}
}

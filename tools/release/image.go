package main

import (
	"encoding/json"
	"os"
	"time"
)

// image writes a container image for the Linux systems as an OCI layout in a tar, which `docker
// load`, `podman load` and `skopeo copy oci-archive:…` read. It has the programs and nothing else;
// certificates come from the host: mount /etc/ssl/certs when a bucket or a model is reached over
// TLS.
func (r *release) image(built []system) error {
	blobs := map[string][]byte{}
	var order []string
	add := func(kind string, body []byte) descriptor {
		digest := sum(body)
		if _, there := blobs[digest]; !there {
			blobs[digest] = body
			order = append(order, digest)
		}
		return descriptor{MediaType: kind, Digest: "sha256:" + digest, Size: len(body)}
	}
	index := ociIndex{SchemaVersion: 2, MediaType: "application/vnd.oci.image.index.v1+json"}
	for _, s := range built {
		if s.OS != "linux" {
			continue
		}
		files := []file{{Name: "usr/", Mode: 0o755}, {Name: "usr/local/", Mode: 0o755}, {Name: "usr/local/bin/", Mode: 0o755}, {Name: "tmp/", Mode: 0o1777}}
		for i, f := range s.Files[:len(programs)] {
			files = append(files, file{"usr/local/bin/" + programs[i], f.Mode, f.Body})
		}
		layer, err := tarOf(files, r.Time)
		if err != nil {
			return err
		}
		packed, err := gzipOf(layer)
		if err != nil {
			return err
		}
		config := ociConfig{Created: r.Time, Architecture: s.Arch, OS: s.OS}
		config.Config.Env = []string{"XDG_CONFIG_HOME=/config"} // as in deploy/Dockerfile, with the reason
		config.Config.User, config.Config.Entrypoint, config.Config.Cmd = "65532:65532", []string{"/usr/local/bin/pamline"}, []string{"--help"}
		config.Config.Labels = map[string]string{
			"org.opencontainers.image.title": "pamline", "org.opencontainers.image.source": homepage, "org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.version": r.Version, "org.opencontainers.image.description": summary,
		}
		config.RootFS.Type, config.RootFS.DiffIDs = "layers", []string{"sha256:" + sum(layer)}
		body, err := json.Marshal(config)
		if err != nil {
			return err
		}
		manifest, err := json.Marshal(ociManifest{
			SchemaVersion: 2, MediaType: "application/vnd.oci.image.manifest.v1+json",
			Config: add("application/vnd.oci.image.config.v1+json", body),
			Layers: []descriptor{add("application/vnd.oci.image.layer.v1.tar+gzip", packed)},
		})
		if err != nil {
			return err
		}
		d := add("application/vnd.oci.image.manifest.v1+json", manifest)
		d.Platform = &platform{Architecture: s.Arch, OS: s.OS}
		d.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.number()}
		index.Manifests = append(index.Manifests, d)
	}
	if len(index.Manifests) == 0 {
		return nil
	}
	body, err := json.Marshal(index)
	if err != nil {
		return err
	}
	files := []file{
		{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", 0o644, body},
		{Name: "blobs/", Mode: 0o755}, {Name: "blobs/sha256/", Mode: 0o755},
	}
	for _, digest := range order {
		files = append(files, file{"blobs/sha256/" + digest, 0o644, blobs[digest]})
	}
	out, err := tarOf(files, r.Time)
	if err != nil {
		return err
	}
	return os.WriteFile(r.name(system{OS: "linux", Arch: "image"}, ".oci.tar"), out, 0o644)
}

// The documents of an image (OCI image specification 1.1).
type (
	descriptor struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int               `json:"size"`
		Annotations map[string]string `json:"annotations,omitempty"`
		Platform    *platform         `json:"platform,omitempty"`
	}
	platform struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
	}
	ociIndex struct {
		SchemaVersion int          `json:"schemaVersion"`
		MediaType     string       `json:"mediaType"`
		Manifests     []descriptor `json:"manifests"`
	}
	ociManifest struct {
		SchemaVersion int          `json:"schemaVersion"`
		MediaType     string       `json:"mediaType"`
		Config        descriptor   `json:"config"`
		Layers        []descriptor `json:"layers"`
	}
	ociConfig struct {
		Created      time.Time `json:"created"`
		Architecture string    `json:"architecture"`
		OS           string    `json:"os"`
		Config       struct {
			User       string            `json:"User"`
			Env        []string          `json:"Env"`
			Entrypoint []string          `json:"Entrypoint"`
			Cmd        []string          `json:"Cmd"`
			Labels     map[string]string `json:"Labels"`
		} `json:"config"`
		RootFS struct {
			Type    string   `json:"type"`
			DiffIDs []string `json:"diff_ids"`
		} `json:"rootfs"`
	}
)

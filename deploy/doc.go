// Package deploy has the files of deployments. Its tests hold them to the code.
package deploy

// Package cluster runs pamline as it is run in earnest, on loopback: NATS servers, an S3 server and
// workers as processes of their own, each behind what lets things go wrong between them
// ([fault.Link], [fault.HTTP]), and each to be killed, stopped and started again at will.
// Everything lies in one folder, and every process dies with the one that started it.
package cluster

// Package bench and the folders below it measure knng: configurations, runs and
// reports, and the commands that bind flags to them. The product imports none
// of it.
//
// It is of the product's module. A module of its own would take 8 of 53 modules from go.mod, all
// of plotting and of images, and nothing from those who use knng: Go prunes modules of packages
// that they do not import. A program that imports package builder gets 33 indirect requirements,
// and links 36 modules, none of them among the 8:
//
//	go mod init example.com/p && go get github.com/knng/knng/builder && go build && go version -m p
//
// The price would be a second go.mod to keep, commands that no longer run from the top folder,
// and vet, staticcheck and the architecture test run twice.
package bench

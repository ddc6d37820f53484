// Package bench and the folders below it measure knng: configurations, runs and
// reports, and the commands that bind flags to them. The product imports none
// of it.
package bench

// Package peers runs knng and other builders of k-NN graphs in turn on the same
// rows and cores, judges all lists by one code, and compares times at equal
// recall, by [Rules]. The peers are Python packages: scripts/requirements.txt pins
// them. Runs are kept, one line of JSON each, and not repeated: a file of
// runs belongs to one machine and one knng.
package peers

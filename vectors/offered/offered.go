// Package offered finds how much memory the system offers to this process: that of the machine, or the
// limit of its control group (a container has one). The default memory limits of builds and searches
// are shares of it.
package offered

// unknown is the answer if the system does not tell: 8 GiB, as a small machine has.
const unknown = 8 << 30

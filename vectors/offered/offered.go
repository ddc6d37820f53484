// Package offered tells how much memory the system offers to this process: that of the machine,
// or the limit of a control group, as a container has. It is the measure of the defaults of a
// build and of a search.
package offered

// unknown is told where the system does not say: 8 GiB, as a small machine of today has.
const unknown = 8 << 30

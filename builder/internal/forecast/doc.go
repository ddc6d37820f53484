// Package forecast plans a build: its passes, memory, disk and time, with package plan and short measurements
// of this machine. It refuses a memory limit that is too low, names the method that could keep it, and
// divides the limit among the passes.
package forecast

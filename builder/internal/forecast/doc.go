// Package forecast plans a build: its passes, memory, disk and time, by package plan and by short
// trials of this machine. It refuses a limit of memory that the build cannot keep, names the
// method that could, and shares the limit out among the passes.
package forecast

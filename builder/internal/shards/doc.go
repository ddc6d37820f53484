// Package shards is the parts method by many machines. A build is tasks from files to files:
// every output is a function of the tasks' inputs alone, is whole or absent, and is kept, so that
// any engine can run tasks, twice or in other orders, and the same command goes on after
// anything. The graph is that of Build with the method parts and the same options, to the byte:
// leaders, leaves, groups, lists and decisions are those of the same functions (packages groups,
// solve and job).
//
// A [Run] holds the knowledge that all tasks share: its [Spec], and the counts that follow from the audit. The
// stages are types over it, a duty each: reading (audit, settle), sampling (samples, codes, exact
// lists), dividing (leaders, leaves, records), solving (groups), folding (lists, decisions) and
// graphing (the graph and its report). schedule finds the tasks that can be done now, uniting
// makes one store of the files.
//
// To add a stage, write its function in the file of its duty, give it a line in kinds
// (tasks.go), its place in schedule (next.go) and its memory (memory.go).
package shards

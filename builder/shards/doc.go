// Package shards builds a graph on many machines, with the parts method. [Begin] creates a run in a
// folder that all machines see, or in an object store. [Open] joins it from one process. [Run.Next]
// lists the tasks that can be done now, [Run.Do] does one, and [Run.Unite] makes one store at the end.
//
// Any engine can run the tasks, in any order, and more than once: a task reads files and makes one
// file, which depends on its inputs alone and is either whole or absent. So a run continues after any
// interruption. The graph is that of builder.Build with method parts and the same options, to the byte,
// because leaders, leaves, groups, lists and decisions come from the same functions (packages groups,
// solve and job).
//
// A Run holds what all tasks share: the spec, and the counts that follow from the audit. Types over it
// do the stages: reading (audit, settle), sampling (samples, codes, exact lists), dividing (leaders,
// leaves, records), solving (groups), folding (lists, decisions) and graphing (the graph and its
// report). schedule finds the tasks that can be done now; uniting makes one store of the files.
//
// To add a stage, write its function in the file of its type, and add it to kinds (tasks.go), to the
// schedule (next.go) and to the memory estimates (memory.go).
package shards

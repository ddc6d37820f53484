// Package shards builds a graph by many machines, by the parts method. [Begin] names a run and gives
// it a folder that all machines see, or an object store; [Open] is one process of it; [Run.Next] lists
// the tasks that can be done now, [Run.Do] does one, [Run.Unite] makes one store in the end. Any engine can
// run tasks, twice or in other orders: a task reads files and makes one, which is a function of
// its inputs alone, is whole or absent, and is kept. So the same command goes on after anything. The
// graph is that of builder.Build with the method parts and the same options, to the byte:
// leaders, leaves, groups, lists and decisions are those of the same functions (packages groups,
// solve and job).
//
// A Run holds the knowledge that all tasks share: its spec, and the counts that follow from the audit. The
// stages are types over it, a duty each: reading (audit, settle), sampling (samples, codes, exact
// lists), dividing (leaders, leaves, records), solving (groups), folding (lists, decisions) and
// graphing (the graph and its report). schedule finds the tasks that can be done now, uniting
// makes one store of the files.
//
// To add a stage, write its function in the file of its duty, give it a line in kinds
// (tasks.go), its place in schedule (next.go) and its memory (memory.go).
package shards

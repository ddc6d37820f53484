// Package job is one build under way: the draft that it writes, the state that it
// records, the units of work that it commits, its phases, and its use of memory, disk
// and time. It does not compare rows and knows no method.
//
// A [Job] resumes after an interruption. [Job.DoUnits] skips the committed units, [Job.Save] records the
// state after every stage, and [Goal] decides the next stage from counts and the steering sample only, so
// every machine decides alike.
package job

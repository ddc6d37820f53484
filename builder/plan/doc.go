// Package plan predicts the cost of a build: its passes over the data, the bytes that each
// reads, writes and holds, and, where the speed of the machine is known, how long it
// runs. It is arithmetic on counts alone, a [Shape]; package builder knows the counts,
// measures the [Rates], and compares the plan with the build.
//
// A plan decides nothing in a build: the graph does not depend on predictions.
//
// # The time left
//
// [Outlook.Left] tells it from the phases of the build so far, in three steps.
//
// Stages. How many divisions and rounds there will be is not known where recall ends them. Before
// the first, [Aim.Balls] and [Aim.Parts] guess them by the rows and their intrinsic dimension, and
// never fewer than builds of so many rows to such a recall usually take. After each division, and
// within a round, [Aim.Ahead] guesses them by the recall found so far. Builds differ, so an outlook has
// a plan for a build that finds as much as is to be expected, and for some that find less and more
// ([Lucks]); the time left is their mean. A stage more or less is then told little by little as it
// becomes likely, and not all at once.
//
// Work. A plan counts the pairs, bytes and lists of every pass, of those at the end as well: rerank,
// adjacency, controls and seal. Work that follows the build, such as links of search, is in
// [Plan.After]. The first division is counted apart from those after it, since empty lists take
// all that a leaf has.
//
// Speed. The seconds that a plan has for a pass may be wrong by the machine, by the kind of work
// (auditing, reading, comparing, dividing, listing, sealing) and by the pass. Each has a factor whose logarithm is taken to be
// distributed normally around that of the one before, and the seconds that a pass took
// beside those planned for as much of it tell all three (Gelman and Hill, Data Analysis Using
// Regression and Multilevel/Hierarchical Models, 2007, chapter 12). A pass under way goes by its own
// speed, the more the further it is; one that has not begun goes by passes of its kind, and where there
// are none by all.
//
// Package progress tells the result (progress.Whole): steadily, but at once where a phase ends or a stage has
// found something.
package plan

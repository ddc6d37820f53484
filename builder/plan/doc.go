// Package plan predicts the cost of a build: its passes over the data, the bytes that each
// reads, writes and holds, and, where the speed of the machine is known, how long it
// runs. It is arithmetic on counts alone, a [Shape]; package builder knows the counts,
// measures the [Rates], and compares the plan with the build.
//
// A plan decides nothing in a build: the graph does not depend on predictions.
//
// # The time left
//
// [Outlook.Left] estimates it from the phases of the build so far, in three steps.
//
// Stages. If recall ends the build, the number of divisions and rounds is unknown. Before the first
// one, [Aim.Balls] and [Aim.Parts] guess the numbers from the rows and their intrinsic dimension; they
// never guess fewer than builds of that size usually take. After each division, and within a round,
// [Aim.Ahead] guesses from the recall found so far. Builds differ, so an outlook has a plan for a build
// that finds as much as expected, and plans for builds that find less and more ([Lucks]). The time left
// is their mean, so it moves gradually as one more stage becomes likely, not all at once.
//
// Work. A plan counts the pairs, bytes and lists of every pass, including those at the end: rerank,
// adjacency, controls and seal. Work after the build, such as links of search, is in [Plan.After]. The
// first division is counted apart from later ones, since empty lists take all that a leaf has.
//
// Speed. The planned seconds of a pass may be wrong because of the machine, the kind of work (auditing,
// reading, comparing, dividing, listing, sealing), or the pass. Each of the three has a factor, whose
// logarithm is normally distributed around that of the one before. The times of passes, compared with
// the plan, estimate all factors (Gelman and Hill, Data Analysis Using Regression and
// Multilevel/Hierarchical Models, 2007, chapter 12). A pass under way is judged by its own speed, the
// more so the further it is; a pass not yet begun by passes of its kind or, without any, by all passes.
//
// Package progress reports the result (progress.Whole). The reported time moves smoothly, but jumps when
// a phase ends or a stage has found something.
package plan

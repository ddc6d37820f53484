// Package explore serves a page on which people look at a finished graph: a row with
// its neighbors, labels, texts and pictures, a search, histograms, and a map of the
// graph in two dimensions.
//
// The page, its script and its style are embedded. It loads nothing from elsewhere,
// and the server answers only requests that were addressed to this machine. Labels,
// texts and ids come from files of strangers: the script writes them as text, never
// as markup.
package explore
